#include "runtime/contexts/rows.h"

#include <stddef.h>

#include "runtime/arch/processor.h"
#include "runtime/contexts/closures.h"
#include "runtime/contexts/context_store.h"
#include "runtime/contexts/function_table.h"
#include "runtime/contexts/machine.h"
#include "runtime/contexts/point_counts.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#define BLOCK_FIRST 4000
#define BLOCK_MOST (1u << 18)
#define STANDBY_ROWS 16    /* threads share them by chance: what they count there is for nobody */
#define CALLEES (1u << 16) /* of pointers that are remembered */
#define CALLEES_PROBED 32
#define ALONE 0xfffffffeu   /* ascribe_row.beside: there is no other */
#define ROWS_LOOKED_AT 4096 /* of one context */

#define ROW_ROOM (ASCRIBE_ROW_BELOW + ASCRIBE_ROW_ABOVE)
static _Alignas(32) char standby[STANDBY_ROWS][ROW_ROOM];

/* What functions are behind addresses that were called through pointers: as ascribe_site.learned.
 * Private to the process. */
static struct callee {
  uint64_t address;
  uint64_t learned;
} callees[CALLEES];

/* One instruction: a signal may interrupt. */
static void count_one(uint64_t *count) {
  __asm__("incq %0" : "+m"(*count));
}

static struct ascribe_row *untagged(const struct ascribe_row *row) {
  return (struct ascribe_row *)((uint64_t)row & ~(uint64_t)ASCRIBE_ROW_TAG);
}

static struct ascribe_row *tagged(const struct ascribe_row *row) {
  return (struct ascribe_row *)((uint64_t)row | ASCRIBE_ROW_TAG);
}

static bool is_tagged(const struct ascribe_row *row) {
  return (uint64_t)row & ASCRIBE_ROW_TAG;
}

static bool is_own(const struct ascribe_row *row) {
  return row->outer == (uint64_t)row;
}

/* A row of private memory, all zeros: `room` with ROW_ROOM bytes. */
static struct ascribe_row *row_in(char *room) {
  return (struct ascribe_row *)(room + ASCRIBE_ROW_BELOW);
}

/* Its slots lead back to it: `next` of slots is at multiples of 16. */
struct ascribe_row *rows_on_standby(void) {
  uint64_t thread;
  __asm__("mov %%fs:0, %0" : "=r"(thread));
  struct ascribe_row *row = row_in(standby[(thread >> 12) % STANDBY_ROWS]);
  if (row->outer) return row;
  for (uint64_t at = sizeof *row; at < ASCRIBE_ROW_ABOVE; at += sizeof(struct ascribe_slot_direct))
    *(struct ascribe_row **)((char *)row + at) = row;
  row->outer = (uint64_t)row;
  return row;
}

static struct ascribe_row *overflow_row(struct thread_state *thread) {
  __atomic_fetch_add(&storage_header()->overflow_calls, 1, __ATOMIC_RELAXED);
  if (!thread->overflow_row) {
    char *room = system_memory(ROW_ROOM);
    if (!room) return rows_on_standby();
    struct ascribe_row *row = row_in(room);
    row->function = ASCRIBE_ROW_OTHER;
    row->beside = ALONE;
    row->outer = (uint64_t)row;
    thread->overflow_row = row;
  }
  return thread->overflow_row;
}

static struct ascribe_row *no_room(struct thread_state *thread, enum drop why) {
  storage_count_drop(why);
  return overflow_row(thread);
}

uint32_t rows_context(const struct thread_state *thread, const struct ascribe_row *row) {
  row = untagged(row);
  if (storage_is_row((uint64_t)row)) return storage_row_id(row);
  return row == thread->overflow_row && row ? thread->overflow : 0;
}

/* ---- Functions and their sites ---- */

static uint64_t at_distance(const int32_t *from) {
  return (uint64_t)from + (uint64_t)(int64_t)*from;
}

static struct ascribe_function *known_callee(const struct ascribe_site *site) {
  return site->callee ? (struct ascribe_function *)at_distance(&site->callee) : NULL;
}

/* Its id, plus 1; 0: no room. */
static uint32_t function_of(struct ascribe_function *code) {
  if (!code->id) {
    uint32_t id = function_id(at_distance(&code->code));
    if (id == FUNCTION_NONE) return 0;
    code->id = id + 1;
  }
  return code->id;
}

/* Blocks double, so that short threads take little: few claims for large programs. */
static uint64_t next_size(const struct block_header *block, uint64_t least) {
  uint64_t bytes = block ? (block->bytes - sizeof *block) * 2 : BLOCK_FIRST;
  if (bytes > BLOCK_MOST) bytes = BLOCK_MOST;
  return bytes < least ? least : bytes;
}

static struct recorded_sites *claim_sites(struct thread_state *thread, uint64_t bytes) {
  for (int tries = 0; tries < 3; tries++) {
    struct block_header *block = thread->sites;
    void *record = block ? storage_claim_record(block, bytes) : NULL;
    if (record) return record;
    block = storage_claim(BLOCK_SITES, next_size(block, bytes), thread->number);
    if (!block) return NULL;
    thread->sites = block;
  }
  return NULL;
}

static void describe_sites(struct recorded_sites *record, struct ascribe_function *code) {
  for (uint32_t i = 0; i < code->site_count; i++) {
    const struct ascribe_site *site = &code->sites[i];
    record->sites[i].place = site->place;
    record->sites[i].kind = site->kind;
    if ((site->kind & ASCRIBE_SITE_KINDS) == ASCRIBE_SITE_LEAF)
      record->sites[i].callee = function_of(known_callee(site));
  }
  const struct ascribe_place *place = (const void *)at_distance(&code->places);
  const struct ascribe_place *end = (const void *)at_distance(&code->places_end);
  for (; place < end; place++)
    if (place->site < code->site_count)
      record->sites[place->site].address = at_distance(&place->code) + 1;
}

/* The id of its sites in the recording; 0: no room. */
static uint32_t sites_of(struct thread_state *thread, struct ascribe_function *code) {
  uint32_t known = __atomic_load_n(&code->recorded, __ATOMIC_ACQUIRE);
  if (known) return known;
  uint64_t bytes = sizeof(struct recorded_sites) + code->site_count * sizeof(struct recorded_site);
  struct recorded_sites *record = claim_sites(thread, bytes);
  uint32_t function = function_of(code);
  if (!record || !function) return 0;
  record->function = function - 1;
  record->count = code->site_count;
  describe_sites(record, code);
  __atomic_store_n(&record->ready, 1, __ATOMIC_RELEASE);
  uint32_t id = storage_context_id((const void *)record);
  /* Another thread or a handler may have been first. */
  if (__atomic_compare_exchange_n(&code->recorded, &known, id, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return id;
  return known;
}

/* ---- Rows of contexts ---- */

static struct ascribe_row_start *claim_row(struct thread_state *thread, uint64_t bytes) {
  for (int tries = 0; tries < 3; tries++) {
    struct block_header *block = thread->rows;
    void *record = block ? storage_claim_record(block, bytes) : NULL;
    if (record) return record;
    block =
        storage_claim_rows(BLOCK_ROWS, next_size(block, bytes + ASCRIBE_ROW_FIRST), thread->number);
    if (!block) return NULL;
    thread->rows = block;
  }
  return NULL;
}

/* May a function that was entered with `outer` in the cell put back `other`? Where code without
 * hooks goes on, only the context matters. */
static bool same_outer(uint64_t outer, uint64_t other) {
  if (outer == other) return true;
  if (!(outer & other & ASCRIBE_ROW_TAG)) return false;
  const struct ascribe_row *a = untagged((void *)outer), *b = untagged((void *)other);
  return storage_is_row((uint64_t)a) && storage_is_row((uint64_t)b) && a->context == b->context;
}

static struct ascribe_row *find_row(uint32_t first, const struct ascribe_function *code,
                                    uint64_t outer) {
  for (uint32_t i = 0; first && i < ROWS_LOOKED_AT; i++) {
    struct ascribe_row *row = storage_row(first);
    bool fits = row->code == code && (outer ? same_outer(row->outer, outer) : is_own(row));
    if (fits) return row;
    first = row->beside == ALONE ? 0 : row->beside / 2;
  }
  return NULL;
}

/* Rows of a parent's contexts are not kept together: the parent's record is not to be changed. */
static void put_beside(struct ascribe_row *row, uint32_t context) {
  if (context < storage_header()->context_base) return;
  struct recorded_context *record = (struct recorded_context *)storage_context(context);
  uint32_t first = __atomic_load_n(&record->row, __ATOMIC_RELAXED);
  do
    row->beside = first ? first * 2 : ALONE;
  while (!__atomic_compare_exchange_n(&record->row, &first, storage_row_id(row), false,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static struct ascribe_row *make_row(struct thread_state *thread, uint32_t context,
                                    struct ascribe_function *code, uint64_t outer) {
  uint32_t leaves = code ? code->leaves : 0, sites = code ? sites_of(thread, code) : 0;
  if (code && !sites) return NULL;
  uint64_t header = ascribe_row_below(leaves);
  uint64_t bytes = (header + (code ? code->bytes : sizeof(struct ascribe_row)) + 31) / 32 * 32;
  struct ascribe_row_start *start = claim_row(thread, bytes);
  if (!start) return NULL;
  struct ascribe_row *row = (void *)((char *)start + header);
  row->context = context;
  row->beside = ALONE;
  row->sites = sites;
  row->outer = outer ? outer : (uint64_t)row;
  row->code = code;
  start->leaves = leaves | (thread->paused ? ASCRIBE_ROW_IN_PAUSE : 0);
  __atomic_store_n(&row->function, code ? code->number : ASCRIBE_ROW_OTHER, __ATOMIC_RELEASE);
  put_beside(row, context);
  return row;
}

/* The row of the function in the context; `outer`: what the cell is to hold after it, 0: the row
 * itself.  Null: no room. */
static struct ascribe_row *row_of(struct thread_state *thread, uint32_t context,
                                  struct ascribe_function *code, uint64_t outer) {
  const struct recorded_context *record = storage_context(context);
  struct ascribe_row *row = record ? find_row(record->row, code, outer) : NULL;
  return row ? row : make_row(thread, context, code, outer);
}

bool rows_start(struct thread_state *thread) {
  thread->root_row = make_row(thread, thread->root, NULL, 0);
  return thread->root_row;
}

/* The row after a call from `from`; null: no room. */
static struct ascribe_row *row_after(struct thread_state *thread, const struct ascribe_row *from,
                                     struct ascribe_function *code, unsigned kind) {
  uint32_t function = function_of(code), context = from->context;
  if (!function) return NULL;
  if ((kind & ASCRIBE_SITE_KINDS) != ASCRIBE_SITE_CONTINUES)
    context = context_after(thread, from->context, function - 1, false);
  bool inherits = kind & ASCRIBE_SITE_TAIL && !is_own(from);
  return context ? row_of(thread, context, code, inherits ? from->outer : 0) : NULL;
}

/* ---- Callees of pointers ---- */

static struct callee *callee_entry(uint64_t address, bool make) {
  uint32_t k = (uint32_t)(address * 0x9E3779B97F4A7C15ull >> 40);
  for (uint32_t i = 0; i < CALLEES_PROBED; i++) {
    struct callee *entry = &callees[(k + i) % CALLEES];
    uint64_t seen = __atomic_load_n(&entry->address, __ATOMIC_RELAXED);
    if (!seen && make)
      __atomic_compare_exchange_n(&entry->address, &seen, address, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED);
    if (seen == address || (!seen && make)) return entry;
    if (!seen) return NULL;
  }
  return NULL;
}

static void learn_callee(uint64_t address, uint64_t learned) {
  struct callee *entry = callee_entry(address, true);
  if (entry) __atomic_store_n(&entry->learned, learned, __ATOMIC_RELAXED);
}

void rows_forget_callees(uint64_t start, uint64_t end) {
  for (uint32_t i = 0; i < CALLEES; i++) {
    struct ascribe_function *code = (void *)callees[i].learned;
    bool is_function = (uint64_t)code > ASCRIBE_CALLEE_TRIED;
    bool gone = callees[i].address >= start && callees[i].address < end;
    if (gone || (is_function && (uint64_t)code >= start && (uint64_t)code < end))
      __atomic_store_n(&callees[i].learned, 0, __ATOMIC_RELAXED);
  }
}

/* What is done with each row of a thread; `pauses` is at the same distance in the block of pauses,
 * or null. */
typedef void row_visitor(struct ascribe_row_start *row, char *pauses, const uint64_t range[2]);

static struct ascribe_row *header_of(struct ascribe_row_start *start) {
  return (struct ascribe_row *)((char *)start + ascribe_row_below(ascribe_row_leaves(start)));
}

static void visit_block(struct block_header *block, row_visitor *visit, const uint64_t range[2]) {
  char *pauses = block->pauses ? (char *)storage_header() + block->pauses : NULL;
  uint64_t at = sizeof *block + ASCRIBE_ROW_FIRST;
  while (at + sizeof(struct ascribe_row_start) <= block->used) {
    struct ascribe_row_start *row = (void *)((char *)block + at);
    if (!row->bytes) break;
    if (header_of(row)->sites) visit(row, pauses ? pauses + at : NULL, range);
    at += row->bytes;
  }
}

static const struct recorded_sites *sites_recorded(const struct ascribe_row *row) {
  return (const void *)storage_context(row->sites);
}

static void retire_pointers(struct ascribe_row_start *start, char *pauses,
                            const uint64_t range[2]) {
  struct ascribe_row *row = header_of(start);
  const struct recorded_sites *sites = sites_recorded(row);
  (void)pauses;
  for (uint32_t i = 0; i < sites->count; i++) {
    if ((sites->sites[i].kind & ASCRIBE_SITE_KINDS) != ASCRIBE_SITE_POINTER) continue;
    struct ascribe_slot_pointer *slot = (void *)((char *)row + 8l * sites->sites[i].place);
    if (slot->callee >= range[0] && slot->callee < range[1])
      __atomic_store_n(&slot->callee, SLOT_CLAIMED, __ATOMIC_RELEASE); /* no function is there */
  }
}

void rows_retire(struct thread_state *thread, uint64_t start, uint64_t end) {
  const uint64_t range[2] = {start, end};
  for (struct block_header *block = NULL; (block = storage_next_rows(block));)
    if (block->kind == BLOCK_ROWS && block->thread == thread->number)
      visit_block(block, retire_pointers, range);
}

/* Adds what the row has counted to its pauses, or takes it away. */
static void add_to_pauses(struct ascribe_row_start *start, char *pauses, bool begins) {
  struct ascribe_row *row = header_of(start);
  const struct recorded_sites *sites = sites_recorded(row);
  int64_t away = pauses - (char *)start;
  for (uint32_t i = 0; i < sites->count; i++) {
    if (!sites->sites[i].place) continue;
    int leaf = (sites->sites[i].kind & ASCRIBE_SITE_KINDS) == ASCRIBE_SITE_LEAF;
    const uint64_t *count = (const uint64_t *)row + sites->sites[i].place + !leaf;
    uint64_t *sum = (uint64_t *)((char *)count + away);
    *sum += begins ? -*count : *count;
  }
  ((struct ascribe_row *)((char *)row + away))->function = begins ? ROW_PAUSED : 0;
}

static void begin_pause(struct ascribe_row_start *start, char *pauses, const uint64_t range[2]) {
  (void)range;
  add_to_pauses(start, pauses, true);
}

static void end_pause(struct ascribe_row_start *start, char *pauses, const uint64_t range[2]) {
  (void)range;
  add_to_pauses(start, pauses, false);
  start->leaves &= ~ASCRIBE_ROW_IN_PAUSE;
}

void rows_pause(struct thread_state *thread, bool paused) {
  for (struct block_header *block = NULL; (block = storage_next_rows(block));) {
    if (block->thread != thread->number) continue;
    if (!block->pauses) {
      struct block_header *pauses = storage_claim(BLOCK_SCRATCH, block->bytes, thread->number);
      if (pauses) block->pauses = (uint64_t)((char *)pauses - (char *)storage_header());
    }
    if (!block->pauses)
      storage_count_drop(DROP_TRANSITIONS);
    else if (block->kind == BLOCK_POINTS)
      point_counts_pause(block, paused);
    else
      visit_block(block, paused ? begin_pause : end_pause, NULL);
  }
  closures_census_pause(thread);
  machine_pause(thread, paused);
}

/* ---- The slow ways of the hooks ---- */

static void count_slow(const struct thread_state *thread) {
  if (!thread->paused) count_one(&thread->record->slow_steps);
}

static void note_first(struct thread_state *thread, const struct ascribe_function *code) {
  if (!thread->record->start_function && code->id) thread->record->start_function = code->id;
}

static void fill_slot(struct ascribe_slot_direct *slot, const struct ascribe_row *next) {
  __atomic_store_n(&slot->next, (uint64_t)next, __ATOMIC_RELEASE);
}

/* By which the table knows the site, and the report its line. */
static uint64_t address_of_site(const struct ascribe_row *row, uint32_t number) {
  return sites_recorded(row)->sites[number].address;
}

/* The first callee has the slot, further ones are in the table. */
static void fill_pointer(struct thread_state *thread, struct ascribe_row *from, uint32_t number,
                         uint64_t callee, const struct ascribe_row *next) {
  struct ascribe_slot_pointer *slot = (void *)((char *)from + 8l * from->code->sites[number].place);
  uint64_t free = 0;
  if (__atomic_compare_exchange_n(&slot->callee, &free, SLOT_CLAIMED, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
    slot->next = (uint64_t)next;
    count_one(&slot->count);
    __atomic_store_n(&slot->callee, callee, __ATOMIC_RELEASE);
  } else {
    uint32_t to = is_tagged(next) ? SLOT_TO_UNHOOKED : storage_row_id(next);
    machine_add(thread, storage_row_id(from), callee, address_of_site(from, number), to);
  }
}

/* What the pending call called; 0: not known. */
static uint64_t called_by(const struct pending_call *pending) {
  if (pending->callee) return pending->callee;
  const struct ascribe_function *code = pending->row->code;
  const struct ascribe_place *place = (const void *)at_distance(&code->places);
  const struct ascribe_place *end = (const void *)at_distance(&code->places_end);
  for (; place < end; place++)
    if (place->site == pending->site && place->callee) return at_distance(&place->callee);
  return 0;
}

/* Is it the function that is entered? Code without hooks may have been called and jumped on to it,
 * or may have returned, and another call stands where the pending one stood. */
static bool was_called(const struct pending_call *pending, const struct ascribe_row *cell,
                       const struct ascribe_function *code, uint64_t frame) {
  return pending->row && pending->unloads == process_unloads() && pending->cell == cell &&
         frame >= pending->frame_least && frame <= pending->frame_most &&
         jump_leads_to(called_by(pending), at_distance(&code->code));
}

/* The callee of a pending call was entered. */
static struct ascribe_row *learn(struct thread_state *thread, struct pending_call pending,
                                 struct ascribe_function *code) {
  thread->pending.row = NULL;
  struct ascribe_row *from = pending.row;
  struct ascribe_site *site = &from->code->sites[pending.site];
  struct ascribe_row *to = row_after(thread, from, code, site->kind);
  if (pending.callee)
    learn_callee(pending.callee, (uint64_t)code);
  else
    site->learned = (uint64_t)code;
  if (!to) return no_room(thread, DROP_CONTEXTS);
  if (site->kind & ASCRIBE_SITE_TAIL && !is_own(from)) {
    uint64_t callee = pending.callee ? pending.callee : at_distance(&code->code);
    machine_count_from(thread, storage_row_id(from), callee, address_of_site(from, pending.site),
                       storage_row_id(to));
  } else if (pending.callee) {
    fill_pointer(thread, from, pending.site, pending.callee, to);
  } else {
    struct ascribe_slot_direct *slot = (void *)((char *)from + 8l * site->place);
    count_one(&slot->count);
    fill_slot(slot, to);
  }
  return to;
}

static struct ascribe_row *enter(struct thread_state *thread, struct ascribe_row *cell,
                                 struct ascribe_function *code, uint64_t site) {
  struct ascribe_row *from = untagged(cell);
  if (!storage_is_row((uint64_t)from)) {
    if (from == thread->overflow_row) return overflow_row(thread);
    cell = from = thread->root_row;
  }
  uint64_t callee = at_distance(&code->code);
  uint32_t id = storage_row_id(from) | (is_tagged(cell) ? ASCRIBE_TAGGED : 0);
  uint32_t known = machine_known(thread, id, callee, site);
  if (known) return storage_row(known);
  uint32_t function = function_of(code);
  if (!function) return no_room(thread, DROP_FUNCTIONS);
  uint32_t context = context_after(thread, from->context, function - 1, false);
  struct ascribe_row *to = context ? row_of(thread, context, code, (uint64_t)cell) : NULL;
  if (!to) return no_room(thread, DROP_CONTEXTS);
  if (!machine_add(thread, id, callee, site, storage_row_id(to)))
    __atomic_fetch_add(&storage_header()->overflow_calls, 1, __ATOMIC_RELAXED);
  return to;
}

struct ascribe_row *rows_enter(struct thread_state *thread, struct ascribe_cell *cell,
                               struct ascribe_function *code, uint64_t frame) {
  count_slow(thread);
  const struct pending_call pending = thread->pending;
  struct ascribe_row *own = was_called(&pending, cell->row, code, frame)
                                ? learn(thread, pending, code)
                                : enter(thread, cell->row, code, ((const uint64_t *)frame)[-1]);
  note_first(thread, code);
  if (!code->keeps_cell) cell->row = own;
  return own;
}

/* What the cell holds while code without hooks runs. */
static struct ascribe_row *unhooked_row(struct ascribe_row *own, unsigned kind) {
  bool leaves = kind & ASCRIBE_SITE_TAIL && !is_own(own);
  return leaves ? (struct ascribe_row *)own->outer : tagged(own);
}

static struct ascribe_row *await_callee(struct thread_state *thread, struct ascribe_row *own,
                                        uint32_t number, uint64_t at, uint64_t callee) {
  const struct ascribe_site *site = &own->code->sites[number];
  uint64_t arguments = site->kind & ASCRIBE_SITE_TAIL ? 0 : 16ull * site->arguments;
  thread->pending.row = NULL;
  thread->pending = (struct pending_call){.row = own,
                                          .cell = unhooked_row(own, site->kind),
                                          .frame_least = at - arguments,
                                          .frame_most = at,
                                          .callee = callee,
                                          .site = number,
                                          .unloads = process_unloads()};
  return thread->pending.cell;
}

/* What is known now, and what is to be tried: `learned` of a site or of a pointer's callee. Null:
 * the callee is about to be met. */
static struct ascribe_function *callee_known(uint64_t *learned, bool *unhooked) {
  uint64_t known = __atomic_load_n(learned, __ATOMIC_RELAXED);
  if (known > ASCRIBE_CALLEE_TRIED) return (struct ascribe_function *)known;
  *unhooked = known == ASCRIBE_CALLEE_UNHOOKED;
  uint64_t next = known ? ASCRIBE_CALLEE_UNHOOKED : ASCRIBE_CALLEE_TRIED;
  if (!*unhooked) __atomic_store_n(learned, next, __ATOMIC_RELAXED);
  return NULL;
}

/* Of a site without a slot, whose callee is known. */
static struct ascribe_row *site_in_table(struct thread_state *thread, struct ascribe_row *own,
                                         uint32_t number) {
  const struct ascribe_site *site = &own->code->sites[number];
  struct ascribe_function *code = known_callee(site);
  uint64_t callee = at_distance(&code->code), address = address_of_site(own, number);
  bool is_call = (site->kind & ASCRIBE_SITE_KINDS) != ASCRIBE_SITE_CONTINUES;
  uint32_t from = storage_row_id(own), known = 0;
  if (is_call) known = machine_known(thread, from, callee, address);
  if (known) return storage_row(known);
  struct ascribe_row *to = row_after(thread, own, code, site->kind);
  if (!to) return no_room(thread, DROP_CONTEXTS);
  if (is_call) machine_add(thread, from, callee, address, storage_row_id(to));
  return to;
}

struct ascribe_row *rows_site(struct thread_state *thread, struct ascribe_row *own, uint32_t number,
                              uint64_t at) {
  if (!own->code) return own == thread->overflow_row ? overflow_row(thread) : own;
  count_slow(thread);
  struct ascribe_site *site = &own->code->sites[number];
  if (!site->place) return site_in_table(thread, own, number);
  struct ascribe_slot_direct *slot = (void *)((char *)own + 8l * site->place);
  struct ascribe_function *callee = known_callee(site);
  if (!callee && site->kind & ASCRIBE_SITE_TAIL && !is_own(own))
    return await_callee(thread, own, number, at, 0);
  bool unhooked = false;
  if (!callee) callee = callee_known(&site->learned, &unhooked);
  if (!callee && !unhooked) return await_callee(thread, own, number, at, 0);
  struct ascribe_row *to = callee ? row_after(thread, own, callee, site->kind) : tagged(own);
  if (!to) return no_room(thread, DROP_CONTEXTS);
  count_one(&slot->count);
  fill_slot(slot, to);
  return to;
}

struct ascribe_row *rows_pointer(struct thread_state *thread, struct ascribe_row *own,
                                 uint32_t number, uint64_t at, uint64_t callee) {
  if (!own->code) return own == thread->overflow_row ? overflow_row(thread) : own;
  count_slow(thread);
  struct ascribe_site *site = &own->code->sites[number];
  if (site->kind & ASCRIBE_SITE_TAIL && !is_own(own))
    return await_callee(thread, own, number, at, callee);
  uint64_t address = address_of_site(own, number);
  uint32_t known = machine_known(thread, storage_row_id(own), callee, address);
  if (known) return known == SLOT_TO_UNHOOKED ? tagged(own) : storage_row(known);
  struct callee *entry = callee_entry(callee, true);
  bool unhooked = false;
  struct ascribe_function *code = entry ? callee_known(&entry->learned, &unhooked) : NULL;
  if (!code && !unhooked) return await_callee(thread, own, number, at, callee);
  struct ascribe_row *to = code ? row_after(thread, own, code, site->kind) : tagged(own);
  if (!to) return no_room(thread, DROP_CONTEXTS);
  fill_pointer(thread, own, number, callee, to);
  return to;
}

struct ascribe_row *rows_enter_called(struct thread_state *thread, struct ascribe_row *cell,
                                      uint64_t callee, uint64_t site) {
  struct ascribe_row *from = untagged(cell);
  if (!storage_is_row((uint64_t)from)) {
    if (from == thread->overflow_row) return overflow_row(thread);
    from = thread->root_row;
  }
  uint32_t id = storage_row_id(from), known = machine_known(thread, id, callee, site);
  if (known) return storage_row(known);
  uint32_t function = function_id(callee);
  if (function == FUNCTION_NONE) return no_room(thread, DROP_FUNCTIONS);
  uint32_t context = context_after(thread, from->context, function, false);
  struct ascribe_row *to = context ? row_of(thread, context, NULL, 0) : NULL;
  if (!to) return no_room(thread, DROP_CONTEXTS);
  if (!machine_add(thread, id, callee, site, storage_row_id(to)))
    __atomic_fetch_add(&storage_header()->overflow_calls, 1, __ATOMIC_RELAXED);
  if (!thread->record->start_function) thread->record->start_function = function + 1;
  return to;
}
