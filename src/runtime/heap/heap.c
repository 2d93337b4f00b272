#include "runtime/heap/heap.h"

#include "runtime/arch/processor.h"
#include "runtime/heap/block_names.h"
#include "runtime/heap/byte_samples.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/stacks/stacks.h"
#include "runtime/ticks/slices.h"

#include <stddef.h>
#include <sys/mman.h>

#define BLOCK_BYTES (RECORDING_UNIT - sizeof(struct block_header)) /* of frames, of cells */
#define PAST_BYTES (4 * RECORDING_UNIT - sizeof(struct block_header))
#define CALLS_MOST 16u  /* between two looks at the time */
#define OUTSIDE_CELL 1u /* of blocks that were allocated in a pause */
#define FIRST_CELL 2u
#define INDEX_FIRST 256u
#define STACK_BYTES 65536u
#define STACK_LEAST 16384u /* with less than this left of the thread's stack we take our own */
#define BATCH_FIRST 1024   /* bytes: what a thread may have allocated or freed before it tells */
#define BATCH_MOST 65536
#define NESTED_MOST 1000u      /* calls until we look whether they are */
#define RETURN_BYTES 8u        /* below the stack pointer of a call */
#define BYTES_END (1ull << 47) /* what claims more has overflowed in its allocator */

/* (id, key) -> id: (caller's frame, return address) -> frame; (0, another thread's cell) -> the own
 * one of that stack, centre and kind; (frame, (centre, kind) + 1) -> its cell, if the frame's first
 * is of others. */
struct index_slot {
  uint64_t key; /* 0: empty */
  uint32_t from, to;
};
struct index {
  struct index_slot *slots; /* null: none yet */
  uint64_t mask, used;
};

/* A block that is being named, from one cell to another: what the sums of both become, and those of
 * their variances.  A handler may jump out at any moment: then it is done again. */
struct renaming {
  struct recorded_heap_cell *from, *to; /* null: none is under way */
  uint64_t address;
  uint64_t from_blocks[2], from_bytes[2], to_blocks[2], to_bytes[2];
};

/* What a thread allocated last in an area. */
struct last_block {
  uint64_t address; /* 0: it was freed, or none */
  uint64_t position;
};

/* Of an area. */
struct balance {
  int64_t untold; /* live bytes that recorded_heap_area.live does not have yet */
  int64_t batch;  /* untold is less, either way; or 0: it never had any */
};

struct heap_thread {
  uint64_t inside;     /* the stack pointer of the call that is under way; 0: none */
  uint64_t returns_to; /* the return address of that call, which is just below */
  /* Where it counts: a call that a handler interrupted, and which goes on in a child that the
   * handler made, is to see nothing of the child's. */
  struct recorded_heap *books;
  char *base;
  uint32_t first_cell;
  uint32_t nested;            /* calls that came meanwhile */
  uint32_t calls_left, calls; /* until the next look at the time, and from one to the next */
  uint32_t number;            /* of its blocks: the thread's in the recording */
  struct stack_walker walker;
  struct index by_address, by_cell;
  struct block_header *frames, *cells, *past, *mappings; /* where new ones go */
  struct recorded_heap_cell *stackless;                  /* for what has no room for its stack */
  struct last_block last[HEAP_BOOKS];
  struct balance balances[HEAP_BOOKS];
  bool ended;       /* its thread is about to be gone */
  uint32_t unloads; /* of objects, when the index was begun */
  struct renaming renaming;
  void *stack;
};

enum company {
  ALONE,      /* one thread is alive, and has told all */
  LEFT_ALONE, /* one is, and has not */
  SEVERAL
};

static struct {
  struct recorded_heap *books; /* null: nothing is recorded */
  uint32_t first_cell;         /* ids below are the parent's of a forked child */
  enum company company;        /* atomic */
  uint32_t living;             /* atomic: threads, and those that are about to be made */
  uint64_t slack[HEAP_BOOKS];  /* atomic: the sums of their batches */
  int64_t late[HEAP_BOOKS];    /* atomic: what threads changed that had ended */
  uint64_t mean;               /* as in the books */
  struct live_blocks *blocks;
  struct live_blocks *pools[HEAP_NAMES_MOST - HEAP_POOL_FIRST]; /* atomic; null: none yet */
} heap;

static inline struct recorded_heap_area *books_of(const struct heap_thread *own,
                                                  enum heap_area area) {
  return &own->books->areas[area];
}

/* Null: there is no memory for a new one. */
static struct live_blocks *blocks_of_pool(uint32_t kind) {
  return live_blocks_of_pool(&heap.pools[HEAP_KIND_NAME(kind) - HEAP_POOL_FIRST]);
}

/* Of pools all allocations are recorded, always. */
static inline bool is_sampled(enum heap_area area) {
  return __builtin_expect(heap.mean != 0, 0) && area == HEAP_OF_MALLOC;
}

bool heap_is_recorded(void) {
  return heap.books;
}

static bool books_open(void) {
  struct block_header *block = storage_claim(BLOCK_HEAP, sizeof *heap.books, 0);
  if (!block) return false;
  block->used = sizeof *block + sizeof *heap.books;
  struct recorded_heap *books = block_payload(block);
  books->mean = heap.mean;
  for (int i = 0; i < HEAP_BOOKS; i++)
    books->areas[i].peak_epoch = 1;
  heap.books = books;
  return true;
}

bool heap_start(uint64_t mean) {
  heap.first_cell = FIRST_CELL;
  heap.mean = mean;
  heap.blocks = live_blocks_start();
  return heap.blocks && books_open();
}

static uint32_t id_of(const struct heap_thread *own, const struct recorded_heap_cell *cell) {
  return own->first_cell + (uint32_t)(((uint64_t)cell - (uint64_t)own->base) / HEAP_CELL_UNIT);
}

static struct recorded_heap_cell *cell_at(const struct heap_thread *own, uint32_t id) {
  return (void *)(own->base + (uint64_t)(id - own->first_cell) * HEAP_CELL_UNIT);
}

/* In a child of a handler that interrupted us. The last moment to see that is before cells change:
 * they are the parent's. */
static bool is_left_behind(const struct heap_thread *own) {
  return own->books != heap.books;
}

/* Blocks of cells have a unit of the recording each. */
static uint32_t owner_of(const struct recorded_heap_cell *cell) {
  uint64_t block = (uint64_t)cell / RECORDING_UNIT * RECORDING_UNIT;
  return ((const struct block_header *)block)->thread;
}

void heap_start_child(const struct recording_header *parent, bool recorded) {
  if (!heap.books) return;
  heap.books = NULL;
  block_names_start_child();
  heap.company = ALONE;
  heap.living = 0;
  for (int i = 0; i < HEAP_BOOKS; i++)
    heap.slack[i] = 0, heap.late[i] = 0;
  uint64_t first = heap.first_cell + parent->next / HEAP_CELL_UNIT + 1;
  if (!recorded || first + storage_header()->capacity / HEAP_CELL_UNIT > UINT32_MAX) return;
  heap.first_cell = (uint32_t)first;
  books_open();
}

/* Any number of times. */
static void rename_block(struct heap_thread *own) {
  struct renaming *renaming = &own->renaming;
  struct recorded_heap_cell *from = renaming->from, *to = renaming->to;
  live_blocks_move(heap.blocks, renaming->address, id_of(own, to));
  for (int i = 0; i < (heap.mean ? 2 : 1); i++) {
    from[i].allocations = renaming->from_blocks[i];
    from[i].allocated = renaming->from_bytes[i];
    to[i].allocations = renaming->to_blocks[i];
    to[i].allocated = renaming->to_bytes[i];
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  renaming->to = NULL;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- what is live ---- */

/* With one thread every peak is seen, and of equal ones the last. */
static inline void tell_alone(struct recorded_heap_area *books, int64_t bytes) {
  books->live += (uint64_t)bytes;
  if (books->live < books->peak) return;
  if (books->live > books->peak) books->peak_tsc = time_stamp();
  books->peak = books->live;
  books->peak_epoch++;
}

/* True: it was less. */
static bool raise_to(uint64_t *most, uint64_t value) {
  uint64_t known = __atomic_load_n(most, __ATOMIC_RELAXED);
  while ((int64_t)value > (int64_t)known)
    if (__atomic_compare_exchange_n(most, &known, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return true;
  return false;
}

/* After each change of what it is made of. Sequentially consistent: of two threads that change
 * something, one sees both. */
static void raise_bound(struct recorded_heap_area *books, enum heap_area area) {
  int64_t late = __atomic_load_n(&heap.late[area], __ATOMIC_SEQ_CST);
  uint64_t live = __atomic_load_n(&books->live, __ATOMIC_SEQ_CST),
           slack = __atomic_load_n(&heap.slack[area], __ATOMIC_SEQ_CST);
  raise_to(&books->bound, live + slack + (late > 0 ? (uint64_t)late : 0));
}

static void add_live(struct recorded_heap_area *books, enum heap_area area, int64_t bytes) {
  uint64_t live = __atomic_add_fetch(&books->live, (uint64_t)bytes, __ATOMIC_SEQ_CST);
  raise_bound(books, area);
  if (!raise_to(&books->peak, live)) return;
  books->peak_tsc = time_stamp();
  __atomic_fetch_add(&books->peak_epoch, 1, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void tell_batch(struct heap_thread *own, enum heap_area area) {
  struct balance *balance = &own->balances[area];
  int64_t larger = balance->batch ? 2 * balance->batch : BATCH_FIRST, bytes = balance->untold;
  if (larger <= BATCH_MOST) {
    __atomic_fetch_add(&heap.slack[area], (uint64_t)(larger - balance->batch), __ATOMIC_SEQ_CST);
    balance->batch = larger;
  }
  balance->untold = 0;
  add_live(books_of(own, area), area,
           bytes + __atomic_exchange_n(&heap.late[area], 0, __ATOMIC_SEQ_CST));
}

/* The only thread alive may tell at any moment without a lock: what others change, who are about to
 * be gone, waits for it. */
static __attribute__((noinline)) void tell_late(struct recorded_heap_area *books,
                                                enum heap_area area, int64_t bytes) {
  enum company alone = ALONE;
  __atomic_fetch_add(&heap.late[area], bytes, __ATOMIC_SEQ_CST);
  raise_bound(books, area);
  __atomic_compare_exchange_n(&heap.company, &alone, LEFT_ALONE, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}

static inline void tell(struct heap_thread *own, enum heap_area area, int64_t bytes) {
  struct balance *balance = &own->balances[area];
  if (__builtin_expect(own->ended, 0)) {
    tell_late(books_of(own, area), area, bytes);
  } else if (__builtin_expect(__atomic_load_n(&heap.company, __ATOMIC_RELAXED) != ALONE, 0)) {
    balance->untold += bytes;
    if (balance->untold >= balance->batch || -balance->untold >= balance->batch)
      tell_batch(own, area);
  } else {
    tell_alone(books_of(own, area), bytes);
  }
}

static int64_t take_untold(struct heap_thread *own, enum heap_area area) {
  struct balance *balance = &own->balances[area];
  int64_t bytes = balance->untold;
  __atomic_fetch_sub(&heap.slack[area], (uint64_t)balance->batch, __ATOMIC_SEQ_CST);
  *balance = (struct balance){0};
  return bytes;
}

/* The thread may be the only one that is left. Before it changes a cell, for those are to have what
 * the peak had. */
static __attribute__((noinline)) void settle(struct heap_thread *own) {
  enum company left = LEFT_ALONE;
  if (own->ended || is_left_behind(own)) return;
  bool alone = __atomic_load_n(&heap.living, __ATOMIC_SEQ_CST) == 1;
  if (!__atomic_compare_exchange_n(&heap.company, &left, alone ? ALONE : SEVERAL, false,
                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return;
  for (enum heap_area area = 0; alone && area < HEAP_BOOKS; area++) {
    int64_t late = __atomic_exchange_n(&heap.late[area], 0, __ATOMIC_SEQ_CST);
    tell_alone(books_of(own, area), take_untold(own, area) + late);
  }
}

/* ---- threads ---- */

void heap_expect_thread(void) {
  __atomic_fetch_add(&heap.living, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&heap.company, SEVERAL, __ATOMIC_SEQ_CST);
}

void heap_thread_came(void) {
  enum company several = SEVERAL;
  if (__atomic_sub_fetch(&heap.living, 1, __ATOMIC_SEQ_CST) == 1)
    __atomic_compare_exchange_n(&heap.company, &several, LEFT_ALONE, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
}

void heap_thread_begins(struct thread_state *thread) {
  if (thread->heap) thread->heap->ended = false;
  if (__atomic_add_fetch(&heap.living, 1, __ATOMIC_SEQ_CST) > 1)
    __atomic_store_n(&heap.company, SEVERAL, __ATOMIC_SEQ_CST);
}

void heap_thread_ends(struct thread_state *thread) {
  struct heap_thread *own = thread->heap;
  for (enum heap_area area = 0; own && area < HEAP_BOOKS; area++)
    if (own->balances[area].batch) add_live(books_of(own, area), area, take_untold(own, area));
  if (own) own->ended = true;
  heap_thread_came();
}

/* ---- the state of a thread ---- */

static struct heap_thread *thread_make(struct thread_state *thread) {
  struct recorded_heap *books = heap.books;
  struct heap_thread *own = books ? system_memory(sizeof *own) : NULL;
  if (!own) return NULL;
  own->number = thread->number;
  own->books = books;
  own->base = (char *)storage_header();
  own->first_cell = heap.first_cell;
  own->unloads = process_unloads();
  own->ended = !thread->record->live;
  return thread->heap = own;
}

/* What a handler allocates while it interrupts us is not recorded.  Where a handler jumped out of
 * us, the thread goes on further out on its stack, or overwrites the return address of our call.
 * What goes on on its own stack, after another one, has left that or not: we cannot tell, and wait.
 */
static bool is_nested(const struct thread_state *thread, struct heap_thread *own, uint64_t stack) {
  uint64_t bytes = thread->stack_high - thread->stack_low, place = own->inside - RETURN_BYTES;
  bool here = stack - thread->stack_low < bytes, was_here = place - thread->stack_low < bytes;
  uint64_t now = 0;
  if (was_here)
    return !(here && stack >= own->inside) && *(volatile uint64_t *)place == own->returns_to;
  if (++own->nested < NESTED_MOST) return true;
  own->nested = 0;
  return !here && stacks_read(place, &now) && now == own->returns_to;
}

/* The thread's first call here, or one that came while another was under way. As `enter`. */
static __attribute__((noinline)) struct heap_thread *enter_first(struct thread_state *thread,
                                                                 uint64_t stack) {
  struct heap_thread *own = thread->heap;
  if (!own) own = thread_make(thread);
  if (!own || (own->inside && is_nested(thread, own, stack))) return NULL;
  own->nested = 0;
  return own;
}

static __attribute__((noinline)) void catch_up(struct heap_thread *own) {
  if (own->renaming.to) rename_block(own);
  if (__atomic_load_n(&heap.company, __ATOMIC_RELAXED) == LEFT_ALONE) settle(own);
}

/* Null: nothing can be recorded now. */
static inline __attribute__((always_inline)) struct heap_thread *enter(struct thread_state *thread,
                                                                       uint64_t stack) {
  struct heap_thread *own = thread->heap;
  if (__builtin_expect(!own || own->inside || own->nested, 0)) {
    own = enter_first(thread, stack);
    if (!own) return NULL;
  }
  own->returns_to = *(const uint64_t *)(stack - RETURN_BYTES);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&own->inside, stack, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(
          own->renaming.to || __atomic_load_n(&heap.company, __ATOMIC_RELAXED) == LEFT_ALONE, 0))
    catch_up(own);
  return own;
}

static void leave(struct heap_thread *own) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&own->inside, 0, __ATOMIC_RELAXED);
}

/* ---- indexes ---- */

/* Where it is, or would be. The index has slots. */
static struct index_slot *index_slot(const struct index *index, uint32_t from, uint64_t key) {
  uint64_t hash = (key + from * 0xc2b2ae3d27d4eb4full) * 0x9e3779b97f4a7c15ull >> 20;
  struct index_slot *slot = &index->slots[hash & index->mask];
  while (slot->key && (slot->key != key || slot->from != from))
    slot = slot == &index->slots[index->mask] ? index->slots : slot + 1;
  return slot;
}

/* 0: nowhere. */
static inline uint32_t index_find(const struct index *index, uint32_t from, uint64_t key) {
  return __builtin_expect(index->slots != NULL, 1) ? index_slot(index, from, key)->to : 0;
}

/* A handler may jump out at any moment, so its slots are unmapped after they were replaced, and the
 * mask never reaches beyond the slots. */
static void index_replace(struct index *index, struct index fresh) {
  struct index old = *index;
  __atomic_store_n(&index->slots, fresh.slots, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  index->mask = fresh.mask;
  index->used = fresh.used;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (old.slots)
    system_call3(SYS_munmap, (long)old.slots, (long)((old.mask + 1) * sizeof *old.slots), 0);
}

/* Room for one more. */
static bool index_room(struct index *index) {
  if (index->slots && index->used * 2 <= index->mask) return true;
  uint64_t slots = index->slots ? (index->mask + 1) * 2 : INDEX_FIRST;
  struct index larger = {system_memory(slots * sizeof *larger.slots), slots - 1,
                         index->slots ? index->used : 0};
  if (!larger.slots) return false;
  for (uint64_t i = 0; index->slots && i <= index->mask; i++)
    if (index->slots[i].key)
      *index_slot(&larger, index->slots[i].from, index->slots[i].key) = index->slots[i];
  index_replace(index, larger);
  return true;
}

static void index_add(struct index *index, struct index_slot entry) {
  *index_slot(index, entry.from, entry.key) = entry;
  index->used++;
}

/* ---- frames ---- */

static struct recorded_heap_frame *frame_at(const struct heap_thread *own, uint32_t id) {
  return (void *)(own->base + (uint64_t)id * HEAP_FRAME_UNIT);
}

/* Null: no room. */
static struct block_header *claim(const struct heap_thread *own, enum block_kind kind,
                                  uint64_t bytes) {
  if (is_left_behind(own)) return NULL;
  return storage_claim(kind, bytes, own->number);
}

/* The next `unit` bytes of a block that this thread alone fills; null: it is full, or none. */
static void *block_next(struct block_header *block, uint64_t unit) {
  if (!block || block->used + unit > block->bytes) return NULL;
  void *at = (char *)block + block->used;
  /* Release: readers look at nothing beyond it. */
  __atomic_store_n(&block->used, block->used + unit, __ATOMIC_RELEASE);
  return at;
}

static uint32_t frame_new(struct heap_thread *own, uint32_t parent, uint64_t address) {
  uint32_t epoch = (uint32_t)__atomic_load_n(&storage_header()->epoch, __ATOMIC_RELAXED);
  struct recorded_heap_frame *frame = NULL;
  if (own->frames && own->frames->first == epoch) frame = block_next(own->frames, sizeof *frame);
  if (!frame) {
    struct block_header *block = claim(own, BLOCK_HEAP_FRAMES, BLOCK_BYTES);
    if (!block) return 0;
    block->first = epoch;
    own->frames = block;
    frame = block_next(block, sizeof *frame);
  }
  frame->parent = parent;
  frame->address = address;
  return (uint32_t)(((uint64_t)frame - (uint64_t)own->base) / HEAP_FRAME_UNIT);
}

static uint32_t frame_add(struct heap_thread *own, uint32_t parent, uint64_t address) {
  uint32_t frame = index_room(&own->by_address) ? frame_new(own, parent, address) : 0;
  if (frame) index_add(&own->by_address, (struct index_slot){address, parent, frame});
  return frame;
}

/* A return address twice in succession is in contexts; more often it adds nothing. */
static bool repeats(const struct heap_thread *own, uint32_t frame, uint64_t address) {
  const struct recorded_heap_frame *last = frame_at(own, frame);
  return frame && last->address == address && last->parent &&
         frame_at(own, last->parent)->address == address;
}

#define NO_FRAME UINT32_MAX /* there was no room for it, nor for what is below */

static uint32_t step(void *owner, uint32_t parent, uint64_t address) {
  struct heap_thread *own = owner;
  if (__builtin_expect(parent == NO_FRAME, 0)) return NO_FRAME;
  uint32_t known = index_find(&own->by_address, parent, address);
  if (__builtin_expect(known != 0, 1)) return known;
  if (repeats(own, parent, address)) return parent;
  uint32_t frame = frame_add(own, parent, address);
  return frame ? frame : NO_FRAME;
}

/* Addresses may be those of other code now. */
static void forget_frames(struct heap_thread *own, uint64_t address) {
  uint32_t unloads = process_unloads();
  objects_see(address);
  index_replace(&own->by_address, (struct index){0});
  stacks_forget(&own->walker);
  own->unloads = unloads;
}

/* ---- cells ---- */

/* Whose costs a cell has. */
struct cell_key {
  uint32_t frame, centre;
  uint16_t kind;
};

/* Cells of samples have one of their variances behind them. */
static struct recorded_heap_cell *cell_next(struct block_header *block, struct cell_key key) {
  int parts = heap.mean ? 2 : 1;
  struct recorded_heap_cell *cell = block_next(block, (uint64_t)parts * sizeof *cell);
  for (int i = 0; cell && i < parts; i++) {
    cell[i].frame = key.frame;
    cell[i].centre = key.centre;
    cell[i].kind = key.kind;
  }
  return cell;
}

/* A thread's first cell is set aside for what will have no room for its stack. */
static struct recorded_heap_cell *cell_new(struct heap_thread *own, struct cell_key key) {
  struct recorded_heap_cell *cell = cell_next(own->cells, key);
  if (cell) return cell;
  struct block_header *block = claim(own, BLOCK_HEAP_CELLS, BLOCK_BYTES);
  if (!block) return NULL;
  own->cells = block;
  if (!own->stackless)
    own->stackless = cell_next(block, (struct cell_key){.kind = HEAP_KIND(HEAP_CLASS_UNKNOWN, 0)});
  return cell_next(block, key);
}

static struct recorded_heap_cell *cell_indexed(struct heap_thread *own, struct index_slot wanted,
                                               struct cell_key key) {
  uint32_t known = index_find(&own->by_cell, wanted.from, wanted.key);
  if (known) return cell_at(own, known);
  struct recorded_heap_cell *cell = index_room(&own->by_cell) ? cell_new(own, key) : NULL;
  if (cell)
    index_add(&own->by_cell, (struct index_slot){wanted.key, wanted.from, id_of(own, cell)});
  return cell;
}

static struct recorded_heap_cell *further_cell(struct heap_thread *own, struct cell_key key) {
  uint64_t others = (uint64_t)key.kind << 32 | key.centre;
  return cell_indexed(own, (struct index_slot){.from = key.frame, .key = others + 1}, key);
}

/* Each pool has one of its own. */
static struct recorded_heap_cell *stackless_cell(struct heap_thread *own, uint32_t kind) {
  enum heap_area area = HEAP_KIND_AREA(kind);
  bool pool = area == HEAP_OF_POOLS;
  struct cell_key key = {.kind = HEAP_KIND(HEAP_CLASS_UNKNOWN, HEAP_KIND_NAME(kind))};
  if (!own->stackless) cell_new(own, (struct cell_key){0});
  struct recorded_heap_cell *cell = own->stackless;
  if (pool)
    cell = cell_indexed(own, (struct index_slot){.from = NO_FRAME, .key = key.kind + 1u}, key);
  if (cell) __atomic_fetch_add(&books_of(own, area)->stackless, 1, __ATOMIC_RELAXED);
  return cell;
}

static struct recorded_heap_cell *cell_of_frame(struct heap_thread *own, struct cell_key key) {
  if (key.frame == NO_FRAME || !key.frame) return stackless_cell(own, key.kind);
  struct recorded_heap_frame *record = frame_at(own, key.frame);
  struct recorded_heap_cell *cell = record->cell ? cell_at(own, record->cell) : NULL;
  if (__builtin_expect(cell && cell->centre == key.centre && cell->kind == key.kind, 1))
    return cell;
  if (cell) {
    cell = further_cell(own, key);
  } else {
    cell = cell_new(own, key);
    if (cell) record->cell = id_of(own, cell);
  }
  return cell ? cell : stackless_cell(own, key.kind);
}

static __attribute__((noinline)) struct recorded_heap_cell *
cell_for_others(struct heap_thread *own, const struct recorded_heap_cell *cell) {
  return cell_indexed(own, (struct index_slot){.key = id_of(own, cell)},
                      (struct cell_key){cell->frame, cell->centre, cell->kind});
}

/* This thread's cell for what another thread's is for; null: no room. */
static inline struct recorded_heap_cell *own_cell_for(struct heap_thread *own,
                                                      struct recorded_heap_cell *cell) {
  return __builtin_expect(owner_of(cell) == own->number, 1) ? cell : cell_for_others(own, cell);
}

/* A slice has ended in which the cell was touched. What has no room stays in that slice. */
static __attribute__((noinline)) void keep_past(struct heap_thread *own,
                                                struct recorded_heap_cell *cell, uint32_t slice) {
  struct recorded_heap_past *past = NULL;
  if (cell->slice || cell->allocations || cell->frees) {
    past = block_next(own->past, sizeof *past);
    if (!past) {
      struct block_header *block = claim(own, BLOCK_HEAP_PAST, PAST_BYTES);
      if (!block) return;
      own->past = block;
      past = block_next(block, sizeof *past);
    }
    past->slice = cell->slice;
    past->allocations = cell->allocations;
    past->allocated = cell->allocated;
    past->frees = cell->frees;
    past->freed = cell->freed;
    past->temporary = cell->temporary;
    uint64_t place = ((uint64_t)cell - (uint64_t)own->base) / HEAP_CELL_UNIT;
    __atomic_store_n(&past->cell, (uint32_t)place, __ATOMIC_RELEASE);
    slices_note_entry();
  }
  cell->slice = (uint16_t)slice;
}

/* A slice may end without a tick. Who allocates often looks seldom. */
static __attribute__((noinline)) uint32_t look_at_time(struct heap_thread *own) {
  uint32_t before = slices_last(), slice = slices_at(time_stamp());
  if (slice != before)
    own->calls = 0;
  else if (own->calls < CALLS_MOST)
    own->calls++;
  own->calls_left = own->calls;
  return slice;
}

static inline void touch_in(struct heap_thread *own, struct recorded_heap_cell *cell,
                            uint32_t slice, enum heap_area area) {
  if (__builtin_expect(cell->slice != slice, 0)) keep_past(own, cell, slice);
  uint32_t epoch = (uint32_t)__atomic_load_n(&books_of(own, area)->peak_epoch, __ATOMIC_RELAXED);
  if (cell->peak_epoch == epoch) return;
  cell->at_peak = cell->allocated - cell->freed;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  cell->peak_epoch = epoch;
}

/* Before a cell changes. */
static inline void touch(struct heap_thread *own, struct recorded_heap_cell *cell,
                         enum heap_area area) {
  uint32_t slice = own->calls_left-- ? slices_last() : look_at_time(own);
  touch_in(own, cell, slice, area);
  if (__builtin_expect(heap.mean != 0, 0)) touch_in(own, cell + 1, slice, area);
}

static inline struct sample_weight weight_of(struct live_block block, enum heap_area area) {
  if (is_sampled(area)) return byte_samples_weight(heap.mean, block.bytes, block.rounded_up);
  return (struct sample_weight){.blocks = 1, .bytes = block.bytes};
}

/* `books` null: in a child, where nothing is recorded. A handler that forks makes one at any time.
 */
static __attribute__((noinline, cold)) void
count_dropped(struct recorded_heap *books, struct live_block block, enum heap_area area) {
  if (!books) return;
  __atomic_fetch_add(&books->areas[area].dropped, weight_of(block, area).blocks, __ATOMIC_RELAXED);
}

/* `temporary`: its thread allocated nothing since. */
static inline __attribute__((always_inline)) void
count_free(struct heap_thread *own, struct live_block block, enum heap_area area, bool temporary) {
  struct recorded_heap_cell *cell = own_cell_for(own, cell_at(own, block.cell));
  if (!cell) {
    count_dropped(own->books, block, area);
    return;
  }
  struct sample_weight weight = weight_of(block, area);
  touch(own, cell, area);
  if (__builtin_expect(is_left_behind(own), 0)) return;
  if (temporary) cell->temporary += weight.blocks;
  cell->freed += weight.bytes;
  cell->frees += weight.blocks;
  if (is_sampled(area)) {
    if (temporary) cell[1].temporary += weight.blocks_variance;
    cell[1].freed += weight.bytes_variance;
    cell[1].frees += weight.blocks_variance;
  }
  tell(own, area, -(int64_t)weight.bytes);
}

/* A block that is given out again without having been freed. */
static __attribute__((noinline)) void
count_unseen_free(struct heap_thread *own, struct live_block block, enum heap_area area) {
  count_free(own, block, area, false);
}

/* ---- allocations ---- */

struct allocation {
  struct thread_state *thread;
  struct heap_thread *own;
  uint64_t address;
  struct live_block block; /* its cell is to be found */
  uint32_t kind;
  uint64_t position;
  const struct stack_caller *caller;
};

static inline uint32_t stack_of(const struct allocation *allocation) {
  struct heap_thread *own = allocation->own;
  const struct stack_caller *caller = allocation->caller;
  if (__builtin_expect(own->unloads != process_unloads(), 0)) forget_frames(own, caller->address);
  return stacks_lead(&own->walker, allocation->thread, caller, step, own);
}

static inline void count_allocation(struct heap_thread *own, struct recorded_heap_cell *cell,
                                    struct sample_weight weight, enum heap_area area) {
  touch(own, cell, area);
  if (__builtin_expect(is_left_behind(own), 0)) return;
  cell->allocated += weight.bytes;
  cell->allocations += weight.blocks;
  if (is_sampled(area)) {
    cell[1].allocated += weight.bytes_variance;
    cell[1].allocations += weight.blocks_variance;
  }
}

/* A block that was not recorded, which one was that was allocated before: its free is to be known.
 * A recorded block whose free could not be counted (heap_freed) stays there, so that the next free
 * of its address counts. */
static void note_outside(uint64_t address, struct live_block block, struct live_blocks *blocks) {
  struct live_block before, none;
  if (!blocks) return;
  block.cell = OUTSIDE_CELL;
  live_blocks_put(blocks, address, block, &before);
  if (before.cell >= heap.first_cell) live_blocks_put(blocks, address, before, &none);
}

/* Of blocks that are no samples nothing is known anyway. */
static struct live_blocks *blocks_outside(void) {
  return heap.mean ? NULL : heap.blocks;
}

static inline __attribute__((always_inline)) void
count_in(const struct allocation *allocation, struct live_blocks *blocks, enum heap_area area) {
  struct heap_thread *own = allocation->own;
  struct live_block block = allocation->block, before = {0};
  struct cell_key key = {stack_of(allocation), ascribe_centre, (uint16_t)allocation->kind};
  if (__builtin_expect(is_left_behind(own), 0)) {
    note_outside(allocation->address, block, area == HEAP_OF_MALLOC ? blocks_outside() : blocks);
    return;
  }
  struct recorded_heap_cell *cell = blocks ? cell_of_frame(own, key) : NULL;
  if (cell) block.cell = id_of(own, cell);
  bool has_room = cell && live_blocks_put(blocks, allocation->address, block, &before);
  if (__builtin_expect(before.cell >= own->first_cell, 0)) count_unseen_free(own, before, area);
  if (!has_room) {
    count_dropped(own->books, block, area);
    return;
  }
  struct sample_weight weight = weight_of(block, area);
  count_allocation(own, cell, weight, area);
  own->last[area] = (struct last_block){allocation->address, allocation->position};
  tell(own, area, (int64_t)weight.bytes);
}

static void count(void *allocation) {
  count_in(allocation, heap.blocks, HEAP_OF_MALLOC);
}

static void count_of_pool(void *argument) {
  const struct allocation *allocation = argument;
  count_in(allocation, blocks_of_pool(allocation->kind), HEAP_OF_POOLS);
}

/* Coroutines' stacks are too small for a walk. */
static inline bool has_room(const struct allocation *allocation) {
  const struct thread_state *thread = allocation->thread;
  uint64_t left = allocation->caller->stack - thread->stack_low;
  return __builtin_expect(left < thread->stack_high - thread->stack_low && left > STACK_LEAST, 1);
}

static bool run_elsewhere(struct heap_thread *own, void (*run)(void *argument), void *argument) {
  if (!own->stack) own->stack = system_memory(STACK_BYTES);
  if (own->stack) call_on_stack((char *)own->stack + STACK_BYTES, run, argument);
  return own->stack;
}

static bool run_with_room(const struct allocation *allocation, void (*run)(void *argument),
                          void *argument) {
  if (!has_room(allocation)) return run_elsewhere(allocation->own, run, argument);
  run(argument);
  return true;
}

/* A copy, so that where there is room the allocation is in registers. */
static __attribute__((noinline)) bool count_elsewhere(struct allocation allocation) {
  return run_elsewhere(allocation.own, count, &allocation);
}

/* Random bits for samples, of any thread at any time: no two threads or forked processes read the
 * same clock at the same address. splitmix64. */
static uint64_t random_bits(const struct thread_state *thread) {
  uint64_t x = time_stamp() ^ (uint64_t)thread ^ (uint64_t)storage_header()->pid << 40;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

uint64_t heap_gap(const struct thread_state *thread) {
  return byte_samples_gap(heap.mean, random_bits(thread));
}

void heap_allocated(struct thread_state *thread, uint64_t address, uint64_t bytes,
                    uint64_t position, const struct stack_caller *caller) {
  if (__builtin_expect(!heap.books, 0)) return;
  struct live_block block = {.bytes = bytes};
  if (heap.mean) block.rounded_up = byte_samples_round_up(heap.mean, bytes, random_bits(thread));
  if (__builtin_expect(thread->paused, 0)) {
    note_outside(address, block, blocks_outside());
    return;
  }
  struct heap_thread *own = bytes < BYTES_END ? enter(thread, caller->stack) : NULL;
  if (!own) {
    count_dropped(heap.books, block, HEAP_OF_MALLOC);
    note_outside(address, block, blocks_outside());
    return;
  }
  uint32_t kind = HEAP_KIND(heap_class_of(bytes), 0);
  struct allocation allocation = {thread, own, address, block, kind, position, caller};
  if (has_room(&allocation))
    count_in(&allocation, heap.blocks, HEAP_OF_MALLOC);
  else if (!count_elsewhere(allocation))
    count_dropped(heap.books, block, HEAP_OF_MALLOC);
  leave(own);
}

/* ---- names ---- */

/* From the cell where the block was counted to that of its name. Where there is no room for one of
 * both, it stays. */
static void move_to_name(struct heap_thread *own, uint64_t address, struct live_block block,
                         uint32_t name) {
  struct recorded_heap_cell *from = own_cell_for(own, cell_at(own, block.cell));
  if (!from || HEAP_KIND_NAME(from->kind) == name) return;
  uint16_t kind = (uint16_t)HEAP_KIND(HEAP_KIND_CLASS(from->kind), name);
  struct recorded_heap_cell *to =
      further_cell(own, (struct cell_key){from->frame, from->centre, kind});
  if (!to) return;
  touch(own, from, HEAP_OF_MALLOC);
  touch(own, to, HEAP_OF_MALLOC);
  struct sample_weight weight = weight_of(block, HEAP_OF_MALLOC);
  const uint64_t blocks[] = {weight.blocks, weight.blocks_variance},
                 bytes[] = {weight.bytes, weight.bytes_variance};
  struct renaming *renaming = &own->renaming;
  renaming->from = from;
  renaming->address = address;
  for (int i = 0; i < (heap.mean ? 2 : 1); i++) {
    renaming->from_blocks[i] = from[i].allocations - blocks[i];
    renaming->from_bytes[i] = from[i].allocated - bytes[i];
    renaming->to_blocks[i] = to[i].allocations + blocks[i];
    renaming->to_bytes[i] = to[i].allocated + bytes[i];
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  renaming->to = to;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  rename_block(own);
}

void heap_name(struct thread_state *thread, uint64_t address, const char *name, uint64_t stack) {
  struct recorded_heap *books = heap.books;
  if (!books || !name || !name[0]) return;
  /* What is not allocated, or was before this process, takes up no name. */
  if (live_blocks_find(heap.blocks, address).cell < heap.first_cell) return;
  uint32_t number = block_names_number(name, HEAP_OF_MALLOC);
  if (!number) __atomic_fetch_add(&books->unnamed, 1, __ATOMIC_RELAXED);
  struct heap_thread *own = number ? enter(thread, stack) : NULL;
  if (!own) return;
  struct live_block block = live_blocks_find(heap.blocks, address);
  if (block.cell >= own->first_cell) move_to_name(own, address, block, number);
  leave(own);
}

struct live_block heap_take(uint64_t address) {
  return live_blocks_take(heap.blocks, address);
}

void heap_put_back(uint64_t address, struct live_block block) {
  struct live_block before;
  if (block.cell) live_blocks_put(heap.blocks, address, block, &before);
}

static void note_other_free(struct recorded_heap *of, enum heap_area area,
                            struct live_block block) {
  struct recorded_heap_area *books = &of->areas[area];
  if (!block.cell) {
    __atomic_fetch_add(&books->unknown_frees, 1, __ATOMIC_RELAXED);
    return;
  }
  struct sample_weight weight = weight_of(block, area);
  __atomic_fetch_add(&books->early_frees, weight.blocks, __ATOMIC_RELAXED);
  __atomic_fetch_add(&books->early_bytes, weight.bytes, __ATOMIC_RELAXED);
}

/* The thread is inside. */
static inline __attribute__((always_inline)) void free_block(struct heap_thread *own,
                                                             struct last_block freed,
                                                             struct live_block block,
                                                             enum heap_area area) {
  struct last_block *last = &own->last[area];
  bool temporary = last->address == freed.address && last->position == freed.position;
  last->address = 0;
  count_free(own, block, area, temporary);
}

bool heap_freed(struct thread_state *thread, uint64_t address, struct live_block block,
                uint64_t position, const struct stack_caller *caller) {
  struct recorded_heap *books = heap.books;
  if (__builtin_expect(!books, 0)) return true;
  if (__builtin_expect(block.cell < heap.first_cell, 0)) {
    note_other_free(books, HEAP_OF_MALLOC, block);
    return true;
  }
  struct heap_thread *own = enter(thread, caller->stack);
  if (!own) {
    heap_put_back(address, block);
    return false;
  }
  free_block(own, (struct last_block){address, position}, block, HEAP_OF_MALLOC);
  leave(own);
  return true;
}

/* ---- pools ---- */

/* The pool's kind; 0 if the heap is not recorded or there is no room for the pool's name. */
static uint32_t kind_of_pool(const char *pool, uint64_t bytes) {
  struct recorded_heap *books = heap.books;
  if (!books) return 0;
  uint32_t number = pool && pool[0] ? block_names_number(pool, HEAP_OF_POOLS) : 0;
  if (!number) __atomic_fetch_add(&books->unnamed, 1, __ATOMIC_RELAXED);
  return number ? HEAP_KIND(heap_class_of(bytes), number) : 0;
}

void heap_pool_allocated(struct thread_state *thread, const char *pool, uint64_t address,
                         uint64_t bytes, const struct stack_caller *caller) {
  uint32_t kind = address ? kind_of_pool(pool, bytes) : 0;
  struct live_block block = {.bytes = bytes};
  if (!kind) return;
  bool counts = !thread->paused && bytes < BYTES_END;
  struct heap_thread *own = counts ? enter(thread, caller->stack) : NULL;
  struct allocation allocation = {thread, own, address, block, kind, 0, caller};
  bool counted = own && run_with_room(&allocation, count_of_pool, &allocation);
  if (own) leave(own);
  if (counted) return;
  if (!thread->paused) count_dropped(heap.books, block, HEAP_OF_POOLS);
  note_outside(address, block, blocks_of_pool(kind));
}

static void pool_block_freed(struct heap_thread *own, uint64_t address, struct live_block block) {
  if (is_left_behind(own)) return;
  if (block.cell < own->first_cell)
    note_other_free(own->books, HEAP_OF_POOLS, block);
  else
    free_block(own, (struct last_block){address, 0}, block, HEAP_OF_POOLS);
}

static void pool_block_gone(void *own, struct live_block block) {
  pool_block_freed(own, UINT64_MAX, block);
}

void heap_pool_freed(struct thread_state *thread, const char *pool, uint64_t address,
                     uint64_t stack) {
  uint32_t kind = kind_of_pool(pool, 0);
  struct live_blocks *blocks = kind ? blocks_of_pool(kind) : NULL;
  struct heap_thread *own = blocks ? enter(thread, stack) : NULL;
  if (!own) {
    if (blocks) count_dropped(heap.books, (struct live_block){0}, HEAP_OF_POOLS);
    return;
  }
  if (address)
    pool_block_freed(own, address, live_blocks_take(blocks, address));
  else
    live_blocks_empty(blocks, pool_block_gone, own);
  leave(own);
}

/* ---- mappings ---- */

struct mapping {
  struct allocation allocation;
  struct recorded_mapping row;
};

static struct recorded_mapping *mapping_new(struct heap_thread *own) {
  if (__atomic_fetch_add(&own->books->mappings, 1, __ATOMIC_RELAXED) >= MAPPINGS_MOST) return NULL;
  struct recorded_mapping *row = block_next(own->mappings, sizeof *row);
  if (row) return row;
  struct block_header *block = claim(own, BLOCK_MAPPINGS, BLOCK_BYTES);
  if (!block) return NULL;
  own->mappings = block;
  return block_next(block, sizeof *row);
}

static void add_mapping(void *argument) {
  struct mapping *mapping = argument;
  struct heap_thread *own = mapping->allocation.own;
  if (mapping->row.change != MAPPING_GONE) {
    uint32_t frame = stack_of(&mapping->allocation);
    mapping->row.frame = frame == NO_FRAME ? 0 : frame;
  }
  if (is_left_behind(own)) return;
  struct recorded_mapping *row = mapping_new(own);
  if (!row) {
    __atomic_fetch_add(&own->books->mappings_dropped, 1, __ATOMIC_RELAXED);
    return;
  }
  uint64_t tsc = mapping->row.tsc;
  mapping->row.tsc = 0;
  *row = mapping->row;
  /* Release: a row that has a time is whole. */
  __atomic_store_n(&row->tsc, tsc, __ATOMIC_RELEASE);
}

void heap_mapped(struct thread_state *thread, enum mapping_change change, uint64_t address,
                 uint64_t bytes, uint64_t tsc, const struct stack_caller *caller) {
  struct recorded_heap *books = heap.books;
  if (!books || !bytes || (thread->paused && change != MAPPING_GONE)) return;
  struct heap_thread *own = enter(thread, caller->stack);
  struct mapping mapping = {
      {.thread = thread, .own = own, .caller = caller},
      {.tsc = tsc, .address = address, .bytes = bytes, .centre = ascribe_centre, .change = change}};
  if (!own || !run_with_room(&mapping.allocation, add_mapping, &mapping))
    __atomic_fetch_add(&books->mappings_dropped, 1, __ATOMIC_RELAXED);
  if (own) leave(own);
}
