#include "runtime/counts/counts.h"

#include "ascribe/counter_points.h"
#include "runtime/arch/processor.h"
#include "runtime/contexts/machine.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"

#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define OBJECTS_MOST 1024
#define PAGE 4096u
#define LEAST_ADDRESS 65536 /* of code (vm.mmap_min_addr); before the start fewer calls count */
#define AREA_LEAST (4ull << 20)
#define ROOMY 4 /* areas have room for this many objects of the size of the first */
#define AREAS_MOST 4096
#define SHARE_OF_FILE 8 /* an area takes at most this part of it, if that is enough */

extern EXPORTED const char ascribe_enter_slow[]; /* no C function: see ascribe/hook.h */

extern struct ascribe_unit __start_ascribe_units[] __attribute__((weak, visibility("hidden")));
extern struct ascribe_unit __stop_ascribe_units[] __attribute__((weak, visibility("hidden")));
extern uint64_t __start_ascribe_counts[] __attribute__((weak, visibility("hidden")));
extern uint64_t __stop_ascribe_counts[] __attribute__((weak, visibility("hidden")));
/* Hidden where it is defined. Not here: where it is not, gold would make the program's first
 * address of it in place of null. */
extern EXPORTED struct ascribe_counting ascribe_counting __attribute__((weak));

/* An object with counters. */
struct counted {
  struct ascribe_unit *units, *units_end;
  struct ascribe_counting *counting; /* or null: it has code of executables only */
  uint64_t counters, bytes;          /* in the object */
  uint64_t offset;                   /* in each area */
  uint64_t at;       /* where its units lead to: `counters`, or into the first area */
  uint64_t checksum; /* of all its units */
  const void *code;
  const struct recorded_object *file; /* it was loaded from, or null */
  bool loaded;
};

static struct {
  int lock;
  struct counted objects[OBJECTS_MOST];
  uint32_t count;
  struct block_header *first;             /* the area that the units lead to */
  uint64_t area_bytes, used;              /* of each area */
  struct block_header *areas[AREAS_MOST]; /* all of them */
  bool taken[AREAS_MOST];
  uint32_t area_count;
  bool refused;    /* there are to be no areas */
  bool by_segment; /* the first object has code that finds its counters by %gs */
  struct block_header *records;
} counts;

/* Held for microseconds, never in a signal handler of the thread that holds it. */
static void lock(uint64_t *signals) {
  system_block_signals(signals);
  while (__atomic_exchange_n(&counts.lock, 1, __ATOMIC_ACQUIRE))
    system_call3(SYS_sched_yield, 0, 0, 0);
}
static void unlock(const uint64_t *signals) {
  __atomic_store_n(&counts.lock, 0, __ATOMIC_RELEASE);
  system_unblock_signals(signals);
}

/* ---- areas ---- */

static uint64_t place_in(const struct block_header *area, const struct counted *object) {
  return (uint64_t)area + object->offset;
}

static bool fill(const struct block_header *area, const struct counted *object) {
  return storage_fill((void *)place_in(area, object), object->bytes);
}

/* An area with room for what the objects so far have; null: there is no room. */
static struct block_header *area_make(void) {
  if (counts.area_count == AREAS_MOST) return NULL;
  struct block_header *area = storage_reserve(BLOCK_COUNTS, counts.area_bytes);
  if (!area) return NULL;
  for (uint32_t i = 0; i < counts.count; i++)
    if (!fill(area, &counts.objects[i])) return NULL;
  counts.areas[counts.area_count] = area;
  counts.taken[counts.area_count++] = true;
  return area;
}

static struct block_header *area_take(void) {
  for (uint32_t i = 0; i < counts.area_count; i++)
    if (!counts.taken[i]) {
      counts.taken[i] = true;
      return counts.areas[i];
    }
  return area_make();
}

static void area_give_back(const struct block_header *area) {
  for (uint32_t i = 0; i < counts.area_count; i++)
    if (counts.areas[i] == area) counts.taken[i] = false;
}

static struct block_header *any_scratch(void) {
  for (uint32_t i = 0; i < counts.area_count; i++)
    if (counts.areas[i]->kind == BLOCK_SCRATCH) return counts.areas[i];
  return NULL;
}

/* Counts of a pause go to an area of their own, which readers skip. Never a recycled area: that one
 * still holds its former threads' counts. Without room, another thread's paused area serves as
 * well: nobody reads it, so two threads may count there at once. */
static struct block_header *paused_area(struct thread_state *thread) {
  if (!thread->paused_counts) {
    thread->paused_counts = area_make();
    if (thread->paused_counts) thread->paused_counts->kind = BLOCK_SCRATCH;
  }
  return thread->paused_counts ? thread->paused_counts : any_scratch();
}

/* Where code of the executable counts; by segment in the calling thread only. */
static void count_in(uint64_t *word, const struct block_header *area) {
  __atomic_store_n(word, (uint64_t)area - (uint64_t)counts.first, __ATOMIC_RELAXED);
  if (!counts.by_segment || word != &ascribe_counts) return;
  if (!segment_set(place_in(area, &counts.objects[0]) - counts.objects[0].counters))
    storage_count_drop(DROP_COUNTERS);
}

/* Let the thread count in its area. Without one it counts in the first, where increments of two
 * threads may meet. */
static void set_word(struct thread_state *thread) {
  if (!counts.first || !thread->counts_word) return;
  if (!thread->counts) thread->counts = thread->number ? area_take() : counts.first;
  const struct block_header *area = thread->paused ? paused_area(thread) : thread->counts;
  if (!area) storage_count_drop(DROP_COUNTERS);
  count_in(thread->counts_word, area ? area : counts.first);
}

void counts_attach(struct thread_state *thread) {
  uint64_t signals;
  lock(&signals);
  thread->counts_word = &ascribe_counts;
  set_word(thread);
  unlock(&signals);
}

void counts_attach_unknown(void) {
  uint64_t signals;
  lock(&signals);
  if (counts.first) count_in(&ascribe_counts, counts.first);
  unlock(&signals);
}

void counts_pause(struct thread_state *thread) {
  uint64_t signals;
  lock(&signals);
  set_word(thread);
  unlock(&signals);
}

/* The word stays: what the thread still calls is counted there. */
void counts_detach(struct thread_state *thread) {
  uint64_t signals;
  lock(&signals);
  thread->counts_word = NULL;
  unlock(&signals);
}

void counts_free(struct thread_state *thread) {
  uint64_t signals;
  lock(&signals);
  if (thread->number && thread->counts) {
    area_give_back(thread->counts);
    thread->counts = NULL;
  }
  unlock(&signals);
}

/* ---- objects ---- */

static bool start_first(uint64_t bytes) {
  if (counts.first || counts.refused) return counts.first;
  uint64_t roomy = bytes * ROOMY > AREA_LEAST ? bytes * ROOMY : AREA_LEAST;
  uint64_t share = storage_header()->capacity / SHARE_OF_FILE, least = bytes + RECORDING_UNIT;
  counts.area_bytes = roomy < share ? roomy : least > share ? least : share;
  counts.used = RECORDING_UNIT;
  counts.first = area_make();
  return counts.first;
}

static bool fill_all(const struct counted *object) {
  for (uint32_t i = 0; i < counts.area_count; i++)
    if (!fill(counts.areas[i], object)) return false;
  return true;
}

/* For readers: which object's counters lie where. */
static bool write_record(const struct counted *object) {
  struct block_header *block = counts.records;
  if (!block || block->used + sizeof(struct recorded_counters) > block->bytes) {
    block = storage_claim(BLOCK_COUNTERS, sizeof(struct recorded_counters), 0);
    if (!block) return false;
    counts.records = block;
  }
  struct recorded_counters *record = (void *)((char *)block + block->used);
  *record = (struct recorded_counters){.start = object->counters,
                                       .bytes = object->bytes,
                                       .offset = object->offset,
                                       .code = (uint64_t)object->code,
                                       .epoch = storage_header()->epoch};
  __atomic_fetch_add(&block->used, sizeof *record, __ATOMIC_RELEASE);
  return true;
}

/* The upper half of an executable's mask says nothing. */
static bool is_by_segment(const struct ascribe_unit *unit) {
  return (uint32_t)unit->mask == ASCRIBE_UNIT_SEGMENT;
}
static bool is_of_executable(const struct ascribe_unit *unit) {
  return is_by_segment(unit) || (uint32_t)unit->mask == ASCRIBE_UNIT_DIRECT;
}

/* The object that the runtime is linked to. */
static bool is_own(const struct counted *object) {
  return object->units == __start_ascribe_units;
}

/* From now on its units lead to `at`. */
static void lead(struct counted *object, uint64_t at) {
  for (struct ascribe_unit *unit = object->units; unit < object->units_end; unit++)
    __atomic_store_n(&unit->counters, unit->counters + at - object->at, __ATOMIC_RELAXED);
  object->at = at;
  if (is_own(object)) ascribe_counters_lead = at - object->counters;
}

/* For readers: which code counts there (ascribe/counter_points.h). */
static void mark_units(const struct counted *object) {
  for (const struct ascribe_unit *unit = object->units; unit < object->units_end; unit++)
    *(uint64_t *)unit->counters = unit->checksum;
}

static uint64_t from_thread_pointer(const void *variable) {
  return (uint64_t)variable - (uint64_t)__builtin_thread_pointer();
}

/* Its units add the threads' words from now on, or no longer. */
static void open_units(const struct counted *object, bool open) {
  for (struct ascribe_unit *unit = object->units; unit < object->units_end; unit++)
    /* Release: code reads the mask before what the mask lets it use. */
    if (!is_of_executable(unit)) __atomic_store_n(&unit->mask, open ? ~0ull : 0, __ATOMIC_RELEASE);
}

static void object_unloaded(struct ascribe_unit *first);

static void tell(struct ascribe_counting *counting) {
  if (!counting) return;
  *counting = (struct ascribe_counting){.word = from_thread_pointer(&ascribe_counts),
                                        .gate = from_thread_pointer(&ascribe_cell.gate),
                                        .enter_slow = (uint64_t)ascribe_enter_slow,
                                        .unloaded = (uint64_t)object_unloaded};
}

static void add_earlier(const struct counted *object) {
  const uint64_t *from = (const uint64_t *)object->counters;
  uint64_t *to = (uint64_t *)place_in(counts.first, object);
  for (uint64_t i = 0; i < object->bytes / sizeof *from; i++)
    if (from[i]) increment_by(&to[i], from[i]);
}

static struct counted *find(const struct ascribe_unit *units) {
  for (uint32_t i = 0; i < counts.count; i++)
    if (counts.objects[i].units == units && counts.objects[i].loaded) return &counts.objects[i];
  return NULL;
}

static bool same_file(const struct recorded_object *a, const struct recorded_object *b) {
  if (!a || !b || a == b) return a && b;
  if (!a->build_id_bytes || a->build_id_bytes != b->build_id_bytes) return false;
  for (uint32_t i = 0; i < a->build_id_bytes; i++)
    if (a->build_id[i] != b->build_id[i]) return false;
  return true;
}

/* An object that comes again to where it was goes on counting where it did. */
static struct counted *find_earlier(const struct counted *object) {
  for (uint32_t i = 0; i < counts.count; i++) {
    const struct counted *known = &counts.objects[i];
    if (!known->loaded && known->units == object->units && known->counters == object->counters &&
        known->bytes == object->bytes && known->code == object->code &&
        known->checksum == object->checksum && same_file(known->file, object->file))
      return &counts.objects[i];
  }
  return NULL;
}

/* Room for an object that is new. */
static struct counted *find_room(struct counted *object) {
  uint64_t end = counts.used + (object->bytes + PAGE - 1) / PAGE * PAGE;
  if (counts.count == OBJECTS_MOST || end > counts.area_bytes) return NULL;
  object->offset = counts.used;
  if (!fill_all(object) || !write_record(object)) return NULL;
  counts.used = end;
  return &counts.objects[counts.count++];
}

static bool take_over(struct counted *object) {
  struct counted *place = find_earlier(object);
  if (place)
    object->offset = place->offset;
  else
    place = find_room(object);
  if (!place) return false;
  lead(object, place_in(counts.first, object));
  mark_units(object);
  tell(object->counting);
  open_units(object, true);
  add_earlier(object);
  *place = *object;
  /* Threads that were there before any counters were. */
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next)
    if (!thread->counts) set_word(thread);
  return true;
}

static void object_unloaded(struct ascribe_unit *first) {
  uint64_t signals;
  lock(&signals);
  struct counted *object = find(first);
  if (object) object->loaded = false;
  unlock(&signals);
}

/* An object that has no place in the areas counts where it lies. */
static void add(struct counted *object) {
  if (object->units == object->units_end || find(object->units)) return;
  if (!start_first(object->bytes) || !take_over(object)) {
    storage_count_drop(DROP_COUNTERS);
    return;
  }
  __atomic_fetch_or(&storage_header()->hooks, HOOKS_COUNTS, __ATOMIC_RELAXED);
}

static uint64_t checksum_of(const struct ascribe_unit *first, const struct ascribe_unit *end) {
  uint64_t checksum = COUNTER_CHECKSUM_START;
  for (const struct ascribe_unit *unit = first; unit < end; unit++)
    checksum = counter_checksum_add(checksum, unit->checksum);
  return checksum;
}

static struct counted describe(struct ascribe_unit *first, struct ascribe_unit *end,
                               uint64_t *counters, uint64_t *counters_end, const void *code,
                               struct ascribe_counting *counting) {
  return (struct counted){.units = first,
                          .units_end = end,
                          .counting = counting,
                          .counters = (uint64_t)counters,
                          .bytes = (uint64_t)counters_end - (uint64_t)counters,
                          .at = (uint64_t)counters,
                          .checksum = checksum_of(first, end),
                          .code = code,
                          .loaded = true};
}

/* ---- callees that are unloaded ---- */

/* The counter behind a call site's cell, in all areas. */
static uint64_t take_calls(const struct counted *object, uint64_t counter) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < counts.area_count; i++) {
    uint64_t *calls = (uint64_t *)place_in(counts.areas[i], object) + counter;
    uint64_t taken = *calls;
    increment_by(calls, -taken);
    if (counts.areas[i]->kind == BLOCK_COUNTS) sum += taken;
  }
  return sum;
}

/* The cell is free again; in executables code looks in the section. */
static void free_cell(const struct counted *object, uint64_t counter) {
  uint64_t *in_area = (uint64_t *)place_in(counts.first, object) + counter;
  uint64_t *in_section = (uint64_t *)object->counters + counter;
  uint64_t callee = *in_area;
  __atomic_store_n(in_area, 0, __ATOMIC_RELAXED);
  if (is_own(object) && *in_section == callee) __atomic_store_n(in_section, 0, __ATOMIC_RELAXED);
}

/* No number of calls is as large as an address. */
static void retire_callees(struct thread_state *thread, const struct counted *object,
                           uint64_t start, uint64_t end) {
  uint64_t *words = (uint64_t *)place_in(counts.first, object);
  for (uint64_t i = 0; i + 1 < object->bytes / sizeof *words; i++) {
    uint64_t callee = words[i];
    if (callee < start || callee >= end) continue;
    free_cell(object, i);
    uint64_t calls = take_calls(object, i + 1);
    if (calls) machine_add_indirect(thread, callee, object->counters + i * sizeof *words, calls);
  }
}

/* The object whose code is there is gone: call sites that had a function of it for their first
 * callee hand its calls on to the table, and may have another. */
static void retire(uint64_t start, uint64_t end) {
  struct thread_state *thread = threads_current();
  uint64_t signals;
  if (!counts.first || !thread) return;
  lock(&signals);
  for (uint32_t i = 0; i < counts.count; i++)
    retire_callees(thread, &counts.objects[i], start, end);
  unlock(&signals);
}

/* ---- the start ---- */

/* Its code adds the threads' words whether it was taken over or not: without room for it there are
 * no areas for others either. */
void counts_start(void) {
  objects_when_gone(retire);
  struct counted object =
      describe(__start_ascribe_units, __stop_ascribe_units, __start_ascribe_counts,
               __stop_ascribe_counts, (const void *)counts_start, &ascribe_counting);
  add(&object);
  counts.refused = object.units != object.units_end && !counts.count;
  if (!counts.count) return;
  segment_start();
  for (const struct ascribe_unit *unit = object.units; unit < object.units_end; unit++)
    counts.by_segment |= is_by_segment(unit);
}

/* Code of executables that was linked with another runtime than this one, or with none. */
static bool is_foreign(const struct ascribe_unit *first, const struct ascribe_unit *end) {
  if (first == __start_ascribe_units) return false;
  for (const struct ascribe_unit *unit = first; unit < end; unit++)
    if (is_of_executable(unit)) return true;
  return false;
}

EXPORTED void ascribe_counts_loaded(struct ascribe_unit *first, struct ascribe_unit *end,
                                    uint64_t *counters, uint64_t *counters_end, const void *code,
                                    struct ascribe_counting *counting) {
  if (!process_is_recording() || is_foreign(first, end)) return;
  struct counted object = describe(first, end, counters, counters_end, code, counting);
  objects_refresh();
  object.file = objects_at((uint64_t)code);
  uint64_t signals;
  lock(&signals);
  add(&object);
  unlock(&signals);
}

/* ---- forked children ---- */

void counts_give_up(void) {
  for (uint32_t i = 0; i < counts.count; i++) {
    struct counted *object = &counts.objects[i];
    if (!object->loaded) continue;
    open_units(object, false);
    lead(object, object->counters);
  }
  ascribe_counts = 0;
  if (counts.by_segment) segment_set(0);
}

/* Callees that have the cells of an executable's calls keep them. */
static void copy_cells(const struct counted *object) {
  const uint64_t *from = (const uint64_t *)object->counters;
  uint64_t *to = (uint64_t *)place_in(counts.first, object);
  if (!is_own(object)) return;
  for (uint64_t i = 0; i < object->bytes / sizeof *from; i++)
    if (from[i] >= LEAST_ADDRESS) to[i] = from[i];
}

void counts_start_child(void) {
  counts.lock = 0;
  counts.area_count = 0;
  counts.records = NULL;
  if (!counts.first) return;
  counts.first = area_make();
  for (uint32_t i = 0; i < counts.count; i++) {
    struct counted *object = &counts.objects[i];
    object->file = NULL; /* its parent's; and what is not there now has no record here */
    if (!object->loaded) continue;
    if (!counts.first || !write_record(object)) {
      counts_give_up();
      storage_count_drop(DROP_COUNTERS);
      return;
    }
    lead(object, place_in(counts.first, object));
    mark_units(object);
    copy_cells(object);
  }
  count_in(&ascribe_counts, counts.first);
}
