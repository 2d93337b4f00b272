#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/reader_image.h"

/* What a thread allocated of one closure in a centre; and of those it had live in a census. */
struct allocated {
  uint32_t thread, from; /* id of the centres, 0: in none */
  uint32_t number;
  uint32_t entry; /* of process->heap_entries */
  uint64_t count, timed;
};

struct timed {
  uint32_t allocated; /* index */
  uint32_t slice, count;
};

struct census_row {
  uint32_t thread, allocated;
  struct recorded_census recorded;
};

/* What an entry has now, and had at the peak, if that is the peak's number; else it has the same
 * still. */
struct level {
  uint64_t count, counted; /* before the census at hand, and in it */
  uint64_t at_peak, peak;
  uint64_t bytes; /* of a closure */
};

struct closure_image {
  struct allocated *list;
  struct map indices; /* (thread and number, from) -> index in the list */
  struct timed *timed;
  struct census_row *rows;
  size_t count, timed_count, row_count;
};

static struct closure_image *closures_of(struct image *image) {
  if (!image->closures) image->closures = memory_zeroed(1, sizeof *image->closures);
  return image->closures;
}

void closures_free(struct image *image) {
  if (!image->closures) return;
  map_free(&image->closures->indices);
  free(image->closures->list);
  free(image->closures->timed);
  free(image->closures->rows);
  free(image->closures);
  image->closures = NULL;
}

/* ---- reading ---- */

static uint32_t allocated_of(struct closure_image *closures, uint32_t thread, uint32_t from,
                             uint32_t id) {
  uint32_t number = id - CLOSURE_ID(0), fresh = next_index(closures->count);
  uint64_t key = (uint64_t)thread << 32 | number;
  uint32_t index = map_find_or_add(&closures->indices, key, from, fresh);
  if (index == fresh) {
    ARRAY_GROW(closures->list, closures->count);
    closures->list[closures->count++] =
        (struct allocated){.thread = thread, .from = from, .number = number};
  }
  return index;
}

bool closures_take_slot(struct image *image, uint32_t thread, const struct ascribe_slot *slot) {
  if (!is_closure_id(slot->to)) return false;
  if (slot->callee & CLOSURE_CENSUS) return true;
  struct closure_image *closures = closures_of(image);
  uint32_t allocated = allocated_of(closures, thread, slot->from, slot->to);
  closures->list[allocated].count += slot->count;
  return true;
}

bool closures_take_entries(struct image *image, uint32_t thread,
                           const struct recorded_entries *entries) {
  if (!is_closure_id(entries->to)) return false;
  struct closure_image *closures = closures_of(image);
  uint32_t allocated = allocated_of(closures, thread, entries->from, entries->to);
  ARRAY_GROW(closures->timed, closures->timed_count);
  closures->timed[closures->timed_count++] =
      (struct timed){allocated, entries->slice, entries->entries};
  return true;
}

struct census_block {
  struct image *image;
  uint32_t thread;
};

static void take_census_row(void *context, const void *row, uint64_t number) {
  const struct census_block *block = context;
  struct closure_image *closures = closures_of(block->image);
  const struct recorded_census *recorded = row;
  (void)number;
  uint32_t allocated = NOTHING;
  if (!recorded->number) return;
  if (is_closure_id(recorded->closure))
    allocated = allocated_of(closures, block->thread, recorded->from, recorded->closure);
  ARRAY_GROW(closures->rows, closures->row_count);
  closures->rows[closures->row_count++] = (struct census_row){block->thread, allocated, *recorded};
}

void closures_read_censuses(struct image *image, const struct block *block) {
  struct census_block rows = {image, thread_find(image, block->thread)};
  if (rows.thread != NOTHING)
    block_rows(image, block, sizeof(struct recorded_census), take_census_row, &rows);
}

/* ---- entries ---- */

void closures_resolve_centres(struct image *image) {
  for (size_t i = 0; image->closures && i < image->closures->count; i++) {
    struct allocated *allocated = &image->closures->list[i];
    allocated->from = allocated->from ? resolve_context(image, allocated->from) : NOTHING;
  }
}

/* Contexts that stand for no stack at all, by thread. */
static uint32_t context_of(struct image *image, struct map *contexts, uint32_t thread) {
  struct process_recording *process = &image->process;
  uint32_t fresh = next_index(process->context_count);
  uint32_t index = map_find_or_add(contexts, thread, 0, fresh);
  if (index == fresh) {
    ARRAY_GROW(process->contexts, process->context_count);
    process->contexts[process->context_count++] =
        (struct context_entry){.thread = thread, .flags = CONTEXT_READY | CONTEXT_ROOT};
  }
  return index;
}

static uint64_t bytes_of(const struct image *image, uint32_t number) {
  struct key_definition definition;
  return recording_closure(&image->process, number, &definition) ? definition.bytes : 0;
}

/* One for each element of the list, so that entries of closures are `first` and those behind. */
static void add_entries(struct image *image, struct level *levels) {
  struct process_recording *process = &image->process;
  struct map contexts = {0};
  for (size_t i = 0; i < image->closures->count; i++) {
    struct allocated *allocated = &image->closures->list[i];
    uint64_t bytes = levels[i].bytes = bytes_of(image, allocated->number);
    struct heap_entry entry = {
        .context = context_of(image, &contexts, allocated->thread),
        .centre = allocated->from,
        .kind = allocated->number,
        .area = HEAP_OF_CLOSURES,
        .sums = {.allocations = allocated->count, .allocated = allocated->count * bytes}};
    allocated->entry = next_index(process->heap_count);
    ARRAY_GROW(process->heap_entries, process->heap_count);
    process->heap_entries[process->heap_count++] = entry;
  }
  map_free(&contexts);
}

/* Of those whose slice nobody knows nothing is told by time. */
static void add_part(struct image *image, uint32_t allocated, uint32_t slice,
                     struct heap_sums sums) {
  struct process_recording *process = &image->process;
  struct heap_part part = {image->closures->list[allocated].entry, slice, .sums = sums};
  if (slice >= process->slice_count) return;
  ARRAY_GROW(process->heap_parts, process->heap_part_count);
  process->heap_parts[process->heap_part_count++] = part;
}

/* ---- what was allocated when ---- */

static void add_allocated(struct image *image, const struct level *levels, uint32_t index,
                          uint32_t slice, uint64_t count) {
  add_part(image, index, slice,
           (struct heap_sums){.allocations = count, .allocated = count * levels[index].bytes});
}

/* What no row tells of came with the last ticks, or after them. */
static void add_timed(struct image *image, const struct level *levels) {
  struct closure_image *closures = image->closures;
  size_t slices = image->process.slice_count;
  if (!slices || image->process.header.hindrances & HINDRANCE_ENTRIES) return;
  for (size_t i = 0; i < closures->timed_count; i++) {
    const struct timed *timed = &closures->timed[i];
    struct allocated *allocated = &closures->list[timed->allocated];
    if (timed->slice >= slices || timed->count > allocated->count - allocated->timed) continue;
    allocated->timed += timed->count;
    add_allocated(image, levels, timed->allocated, timed->slice, timed->count);
  }
  for (uint32_t i = 0; i < closures->count; i++) {
    uint64_t left = closures->list[i].count - closures->list[i].timed;
    if (left) add_allocated(image, levels, i, (uint32_t)slices - 1, left);
  }
}

/* ---- what was live when ---- */

static int by_census(const void *left, const void *right) {
  const struct census_row *a = left, *b = right;
  if (a->recorded.number != b->recorded.number)
    return a->recorded.number < b->recorded.number ? -1 : 1;
  return (a->thread > b->thread) - (a->thread < b->thread);
}

struct census {
  const struct census_row *rows;
  size_t count;
  const struct census_row *end; /* null: it had none */
  bool begins;
};

/* All censuses, and what they led to. */
struct censuses {
  struct image *image;
  struct level *levels;
  struct census *last; /* by thread */
  uint64_t live, most, peak;
};

/* The one that `rows` begin with. */
static struct census census_at(const struct census_row *rows, size_t count) {
  struct census census = {.rows = rows};
  while (census.count < count && by_census(rows, rows + census.count) == 0) {
    const struct census_row *row = &rows[census.count++];
    if (row->recorded.closure == CENSUS_BEGINS) census.begins = true;
    if (row->recorded.closure == CENSUS_ENDS) census.end = row;
  }
  return census;
}

static void take_level(struct censuses *censuses, uint32_t index, uint32_t slice) {
  struct level *level = &censuses->levels[index];
  uint64_t more = level->counted - level->count;
  if (!more) return;
  if (level->peak != censuses->peak) {
    level->at_peak = level->count * level->bytes;
    level->peak = censuses->peak;
  }
  level->count = level->counted;
  censuses->live += more * level->bytes;
  add_part(censuses->image, index, slice,
           (struct heap_sums){.live = more, .live_bytes = more * level->bytes});
}

/* In place of the thread's last one. */
static void take_census(struct censuses *censuses, const struct census *census) {
  struct census *last = &censuses->last[census->rows->thread];
  uint32_t slice = census->end->recorded.slice;
  for (size_t i = 0; i < last->count; i++)
    if (last->rows[i].allocated != NOTHING) censuses->levels[last->rows[i].allocated].counted = 0;
  for (size_t i = 0; i < census->count; i++)
    if (census->rows[i].allocated != NOTHING)
      censuses->levels[census->rows[i].allocated].counted += census->rows[i].recorded.count;
  for (size_t i = 0; i < last->count; i++)
    if (last->rows[i].allocated != NOTHING) take_level(censuses, last->rows[i].allocated, slice);
  for (size_t i = 0; i < census->count; i++)
    if (census->rows[i].allocated != NOTHING)
      take_level(censuses, census->rows[i].allocated, slice);
  *last = *census;
  if (censuses->live <= censuses->most) return;
  censuses->most = censuses->live;
  censuses->peak++;
}

static void add_censuses(struct image *image, struct level *levels) {
  struct closure_image *closures = image->closures;
  struct process_recording *process = &image->process;
  struct censuses censuses = {.image = image, .levels = levels};
  if (!closures->row_count) return;
  censuses.last = memory_zeroed(process->thread_count, sizeof *censuses.last);
  qsort(closures->rows, closures->row_count, sizeof *closures->rows, by_census);
  for (size_t first = 0; first < closures->row_count;) {
    struct census census = census_at(closures->rows + first, closures->row_count - first);
    first += census.count;
    if (census.begins && census.end)
      take_census(&censuses, &census);
    else
      process->header.drops[DROP_CENSUSES]++;
  }
  for (size_t i = 0; i < closures->count; i++) {
    const struct level *level = &levels[i];
    struct heap_sums *sums = &process->heap_entries[closures->list[i].entry].sums;
    sums->live = level->count;
    sums->live_bytes = level->count * level->bytes;
    sums->at_peak = level->peak == censuses.peak ? level->at_peak : sums->live_bytes;
  }
  free(censuses.last);
}

void closures_resolve(struct image *image) {
  if (!image->closures) return;
  struct level *levels = memory_zeroed(image->closures->count, sizeof *levels);
  add_entries(image, levels);
  add_timed(image, levels);
  add_censuses(image, levels);
  free(levels);
}
