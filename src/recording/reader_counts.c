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

void counts_read_table(struct image *image, struct counts *counts, const struct block *block) {
  uint32_t thread = thread_find(image, block->thread);
  if (thread == NOTHING) return;
  uint32_t root = thread_root_id(image, thread);
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct ascribe_slot *slots;
  size_t count;
  uint64_t skipped;
  while ((slots = block_stream_rows(&stream, sizeof *slots, &count, &skipped)))
    for (size_t i = 0; i < count; i++)
      if (slot_counts(&slots[i])) add_slot(image, counts, root, &slots[i]);
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}

static int same_tick(const void *array, uint32_t index, const void *key) {
  const struct tick_entry *a = (const struct tick_entry *)array + index, *b = key;
  return a->context == b->context && a->stack == b->stack && a->pc == b->pc &&
         a->epoch == b->epoch && a->measure == b->measure;
}

static void add_tick(struct image *image, struct counts *counts, const struct tick_entry *added) {
  struct process_recording *process = &image->process;
  uint64_t hash = hash_mix(hash_mix(((uint64_t)added->context << 32) | added->stack) + added->pc +
                           added->measure);
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

void counts_read_ticks(struct image *image, struct counts *counts, const struct block *block) {
  uint32_t thread = thread_find(image, block->thread);
  if (thread == NOTHING || block->first >= EVENTS_MOST) return;
  uint32_t root = thread_root_id(image, thread);
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct recorded_tick *rows;
  size_t count;
  uint64_t skipped;
  while ((rows = block_stream_rows(&stream, sizeof *rows, &count, &skipped)))
    for (size_t i = 0; i < count; i++)
      /* A program counter of 0 is an empty entry, 1 one that is being written. */
      if (rows[i].pc > 1 && rows[i].ticks != 0) {
        add_tick(image, counts,
                 &(struct tick_entry){.measure = block->first,
                                      .context = rows[i].context ? rows[i].context : root,
                                      .stack = rows[i].stack,
                                      .pc = rows[i].pc,
                                      .epoch = rows[i].epoch ? rows[i].epoch : UINT64_MAX,
                                      .ticks = rows[i].ticks,
                                      .weight = rows[i].weight});
      }
  struct process_recording *process = &image->process;
  process->measures[block->first].squares += block->squares;
  process->measures[block->first].counted += block->counted;
  if (process->measure_count <= block->first) process->measure_count = block->first + 1;
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
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

void counts_read_area(struct image *image, const struct block *block) {
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const uint64_t *counts;
  size_t count;
  uint64_t skipped, index = 0;
  while ((counts = block_stream_rows(&stream, sizeof *counts, &count, &skipped))) {
    index += skipped;
    for (size_t i = 0; i < count; i++, index++)
      if (counts[i]) add_count(&image->process, index, counts[i]);
  }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}

void counts_read_counters(struct image *image, const struct block *block) {
  struct process_recording *process = &image->process;
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct recorded_counters *rows;
  size_t count;
  uint64_t skipped;
  while ((rows = block_stream_rows(&stream, sizeof *rows, &count, &skipped)))
    for (size_t i = 0; i < count; i++) {
      if (!rows[i].code || rows[i].offset < sizeof(struct block_header)) continue;
      ARRAY_GROW(process->counters, process->counters_count);
      process->counters[process->counters_count++] = (struct counters_entry){
          .start = rows[i].start,
          .code = rows[i].code,
          .epoch = rows[i].epoch,
          .first = (rows[i].offset - sizeof(struct block_header)) / sizeof(uint64_t),
          .count = rows[i].bytes / sizeof(uint64_t)};
    }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}

/* Those behind the last that was counted are zeros. */
void counts_bound(struct process_recording *process) {
  for (size_t i = 0; i < process->counters_count; i++) {
    struct counters_entry *entry = &process->counters[i];
    size_t left = entry->first < process->count_count ? process->count_count - entry->first : 0;
    if (entry->count > left) entry->count = left;
  }
}
