#include <string.h>

#include "base/memory.h"
#include "recording/reader_image.h"

static int same_transition(const void *array, uint32_t index, const void *key) {
  const struct transition_entry *a = (const struct transition_entry *)array + index, *b = key;
  return a->from == b->from && a->to == b->to && a->site == b->site && a->indirect == b->indirect;
}

static void add_transition(struct image *image, struct counts *counts,
                           const struct transition_entry *added) {
  struct process_recording *process = &image->process;
  uint64_t hash = hash_mix(hash_mix(((uint64_t)added->from << 32) | added->to) + added->site);
  uint32_t known =
      hash_index_find(&counts->transitions, hash, same_transition, process->transitions, added);
  if (known != HASH_INDEX_NONE) {
    process->transitions[known].count += added->count;
    return;
  }
  uint32_t index = next_index(process->transition_count++);
  ARRAY_GROW(process->transitions, index);
  process->transitions[index] = *added;
  hash_index_add(&counts->transitions, hash, index);
}

static int same_call(const void *array, uint32_t index, const void *key) {
  const struct call_entry *a = (const struct call_entry *)array + index, *b = key;
  return a->function == b->function && a->site == b->site;
}

static void add_call(struct image *image, struct counts *counts, const struct call_entry *added) {
  struct process_recording *process = &image->process;
  uint64_t hash = hash_mix(hash_mix(added->function) + added->site);
  uint32_t known = hash_index_find(&counts->calls, hash, same_call, process->calls, added);
  if (known != HASH_INDEX_NONE) {
    process->calls[known].count += added->count;
    return;
  }
  uint32_t index = next_index(process->call_count++);
  ARRAY_GROW(process->calls, index);
  process->calls[index] = *added;
  hash_index_add(&counts->calls, hash, index);
}

static void add_slot(struct image *image, struct counts *counts, uint32_t root,
                     const struct ascribe_slot *slot) {
  if (slot->callee & CALL_COUNTED) {
    add_call(
        image, counts,
        &(struct call_entry){.function = slot->to - 1, .site = slot->site, .count = slot->count});
    return;
  }
  uint32_t from = slot->from & ~ASCRIBE_TAGGED;
  add_transition(image, counts,
                 &(struct transition_entry){.from = from ? from : root,
                                            .to = slot->to,
                                            .site = slot->site,
                                            .count = slot->count,
                                            .indirect = slot->callee & CALL_INDIRECT});
}

/* A slot is half-written while its callee is SLOT_CLAIMED or its `to` is 0; steps along a sampled
 * stack are no calls. */
static int slot_counts(const struct ascribe_slot *slot) {
  if (slot->to == SLOT_TO_UNHOOKED && !(slot->callee & CALL_COUNTED)) return 0;
  return slot->callee != 0 && slot->callee != SLOT_CLAIMED && slot->to != 0 && slot->count != 0 &&
         !(slot->callee & RETURN_ADDRESS);
}

/* The block that is being read. */
struct count_rows {
  struct image *image;
  struct counts *counts;
  const struct block *block;
  uint32_t thread; /* index */
  uint32_t root;   /* id of its root */
};

static void take_slot(void *context, const void *row, uint64_t number) {
  const struct count_rows *rows = context;
  if (slot_counts(row) && !closures_take_slot(rows->image, rows->thread, row))
    add_slot(rows->image, rows->counts, rows->root, row);
}

/* Nothing of a thread that cannot be told of. */
static void read_of_thread(struct image *image, struct counts *counts, const struct block *block,
                           size_t bytes,
                           void (*take)(void *context, const void *row, uint64_t number)) {
  uint32_t thread = thread_find(image, block->thread);
  if (thread == NOTHING) return;
  struct count_rows rows = {image, counts, block, thread, thread_root_id(image, thread)};
  block_rows(image, block, bytes, take, &rows);
}

void counts_read_table(struct image *image, struct counts *counts, const struct block *block) {
  read_of_thread(image, counts, block, sizeof(struct ascribe_slot), take_slot);
}

static int same_tick(const void *array, uint32_t index, const void *key) {
  const struct tick_entry *a = (const struct tick_entry *)array + index, *b = key;
  return a->context == b->context && a->stack == b->stack && a->centre == b->centre &&
         a->pc == b->pc && a->epoch == b->epoch && a->measure == b->measure && a->slice == b->slice;
}

static void add_tick(struct image *image, struct counts *counts, const struct tick_entry *added) {
  struct process_recording *process = &image->process;
  uint64_t hash =
      hash_mix(hash_mix(((uint64_t)added->context << 32) | added->stack) + added->pc +
               added->measure + ((uint64_t)added->centre << 32) + ((uint64_t)added->slice << 16));
  uint32_t known = hash_index_find(&counts->ticks, hash, same_tick, process->ticks, added);
  if (known != HASH_INDEX_NONE) {
    process->ticks[known].ticks += added->ticks;
    process->ticks[known].weight += added->weight;
    return;
  }
  uint32_t index = next_index(process->tick_count++);
  ARRAY_GROW(process->ticks, index);
  process->ticks[index] = *added;
  hash_index_add(&counts->ticks, hash, index);
}

/* A program counter of 0 is an empty entry, 1 one that is being written. */
static void take_tick(void *context, const void *row, uint64_t number) {
  const struct count_rows *rows = context;
  const struct recorded_tick *tick = row;
  if (tick->pc <= 1 || tick->ticks == 0) return;
  add_tick(rows->image, rows->counts,
           &(struct tick_entry){.measure = rows->block->first,
                                .context = tick->context ? tick->context : rows->root,
                                .stack = tick->stack,
                                .centre = tick->centre,
                                .pc = tick->pc,
                                .epoch = tick->epoch ? tick->epoch : UINT64_MAX,
                                .ticks = tick->ticks,
                                .weight = tick->weight,
                                .slice = tick->slice});
}

void counts_read_ticks(struct image *image, struct counts *counts, const struct block *block) {
  struct process_recording *process = &image->process;
  if (block->first >= EVENTS_MOST || thread_find(image, block->thread) == NOTHING) return;
  read_of_thread(image, counts, block, sizeof(struct recorded_tick), take_tick);
  process->measures[block->first].squares += block->squares;
  process->measures[block->first].counted += block->counted;
  if (process->measure_count <= block->first) process->measure_count = block->first + 1;
}

/* A run of any length has a few thousand slices (runtime/ticks/slices.h). */
enum { SLICES_MOST = 1 << 20 };

static void take_entries(void *context, const void *row, uint64_t number) {
  const struct count_rows *rows = context;
  struct process_recording *process = &rows->image->process;
  const struct recorded_entries *entries = row;
  if (!entries->entries || !entries->to) return;
  if (closures_take_entries(rows->image, rows->thread, entries)) return;
  uint32_t from = entries->from & ~ASCRIBE_TAGGED;
  ARRAY_GROW(process->entries, process->entry_count);
  process->entries[process->entry_count++] = (struct entries_part){
      from ? from : rows->root, entries->to, entries->slice, entries->entries};
}

void counts_read_entries(struct image *image, const struct block *block) {
  read_of_thread(image, NULL, block, sizeof(struct recorded_entries), take_entries);
}

/* The block that is being read. */
struct slice_rows {
  struct process_recording *process;
  uint64_t first;
};

static void take_slice(void *context, const void *row, uint64_t number) {
  const struct slice_rows *rows = context;
  struct process_recording *process = rows->process;
  size_t index = rows->first + number, known = process->slice_count;
  if (index >= SLICES_MOST) return;
  if (index >= known) {
    ARRAY_ROOM(process->slices, index + 1);
    memset(process->slices + known, 0, (index + 1 - known) * sizeof *process->slices);
    process->slice_count = index + 1;
  }
  process->slices[index] = *(const struct recorded_slice *)row;
}

void counts_read_slices(struct image *image, const struct block *block) {
  struct slice_rows rows = {&image->process, block->first};
  block_rows(image, block, sizeof(struct recorded_slice), take_slice, &rows);
}

/* The last block has room for more than have begun. */
void counts_end_slices(struct process_recording *process) {
  while (process->slice_count && !process->slices[process->slice_count - 1].tsc)
    process->slice_count--;
}

enum { COUNTS_MOST = 1 << 26 };

static void add_count(struct process_recording *process, uint64_t index, uint64_t calls) {
  size_t known = process->count_count;
  if (index >= COUNTS_MOST) return;
  if (index >= known) {
    ARRAY_ROOM(process->counts, index + 1);
    memset(process->counts + known, 0, (index + 1 - known) * sizeof *process->counts);
    process->count_count = index + 1;
  }
  process->counts[index] += calls;
}

static void take_count(void *context, const void *row, uint64_t number) {
  const uint64_t *calls = row;
  if (*calls) add_count(context, number, *calls);
}

void counts_read_area(struct image *image, const struct block *block) {
  block_rows(image, block, sizeof(uint64_t), take_count, &image->process);
}

static void take_counters(void *context, const void *row, uint64_t number) {
  struct process_recording *process = context;
  const struct recorded_counters *counters = row;
  if (!counters->code || counters->offset < sizeof(struct block_header)) return;
  ARRAY_GROW(process->counters, process->counters_count);
  process->counters[process->counters_count++] = (struct counters_entry){
      .start = counters->start,
      .code = counters->code,
      .epoch = counters->epoch,
      .first = (counters->offset - sizeof(struct block_header)) / sizeof(uint64_t),
      .count = counters->bytes / sizeof(uint64_t)};
}

void counts_read_counters(struct image *image, const struct block *block) {
  block_rows(image, block, sizeof(struct recorded_counters), take_counters, &image->process);
}

/* Those behind the last that was counted are zeros. */
void counts_bound(struct process_recording *process) {
  for (size_t i = 0; i < process->counters_count; i++) {
    struct counters_entry *entry = &process->counters[i];
    size_t left = entry->first < process->count_count ? process->count_count - entry->first : 0;
    if (entry->count > left) entry->count = left;
  }
}
