#include <stdlib.h>
#include <string.h>

#include "recording/history.h"
#include "recording/mapped_ranges.h"
#include "recording/reader_image.h"

/* Stacks fold into histories of this many entries on average, or fewer: else the file is damaged,
 * and would take more memory than there is. */
enum { ENTRIES_PER_FRAME = 256, ENTRIES_ALWAYS = 1 << 20, FAMILY_CELLS = 1 << 17 };
enum { WHOLE_ENTRIES_MOST = 1 << 24 }; /* from there on, stacks that recur are folded */

struct frame {
  uint64_t address;
  uint32_t id, parent, epoch, thread;
};

/* What the frames of a stack, from the outermost one inwards, have led to. */
struct state {
  const uint32_t *history; /* of functions, as indices */
  uint32_t length;
  uint32_t thread;
  uint32_t context; /* index, or NOTHING: no cell needs it */
  bool recurs;      /* it has an entry more than once, or has lost some */
};

struct cell {
  struct recorded_heap_cell recorded;
  uint32_t thread; /* its writer */
  uint32_t centre; /* index of a context of cost centres, by heap_resolve_centres; or NOTHING */
  bool is_second;  /* of two: where samples were recorded, the variances of the one before */
};

struct mapping {
  struct recorded_mapping recorded;
  uint32_t thread, centre; /* as a cell's */
};

struct heap_image {
  struct frame *frames; /* by id */
  size_t frame_count;
  struct cell *cells;
  struct map cell_places; /* offset in the file, divided by HEAP_CELL_UNIT -> cell */
  size_t cell_count;
  struct recorded_heap_past *past; /* of each cell in the order of time */
  size_t past_count;
  struct mapping *mappings; /* in the order of time, by heap_resolve */
  size_t mapping_count;
};

struct heap_states {
  struct state *list;
  size_t count, entries;
  struct hash_index by_history;
  struct map transitions; /* (state, function) -> state */
  struct map functions;   /* (address, epoch) -> function */
  uint32_t *of_frame;     /* by frame */
  struct map entry_of;    /* ((context, kind, area), centre) -> entry */
  struct map lost;        /* thread -> context of what has no stack */
};

static struct heap_image *heap_of(struct image *image) {
  if (!image->heap) image->heap = memory_zeroed(1, sizeof *image->heap);
  return image->heap;
}

void heap_free(struct image *image) {
  if (!image->heap) return;
  free(image->heap->frames);
  free(image->heap->cells);
  free(image->heap->past);
  free(image->heap->mappings);
  map_free(&image->heap->cell_places);
  free(image->heap);
  image->heap = NULL;
}

void heap_read_books(struct image *image, const struct block *block) {
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct recorded_heap *books = block_stream_peek(&stream, sizeof *books);
  if (books) {
    image->process.heap = *books;
    if (books->mean > HEAP_MEAN_MOST) {
      image->process.heap.mean = HEAP_MEAN_MOST;
      image->process.truncated = 1;
    }
    image->process.heap_recorded = true;
  }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}

/* The block that is being read. */
struct heap_rows {
  struct heap_image *heap;
  const struct block *block;
  uint32_t thread;
};

static void take_cell(void *context, const void *row, uint64_t number) {
  const struct heap_rows *rows = context;
  struct heap_image *heap = rows->heap;
  const struct recorded_heap_cell *cell = row;
  uint64_t place = rows->block->start / HEAP_CELL_UNIT + number;
  bool used = cell->frame || cell->allocations || cell->frees;
  if (!used || place > UINT32_MAX) return;
  map_find_or_add(&heap->cell_places, place, 0, (uint32_t)heap->cell_count);
  ARRAY_GROW(heap->cells, heap->cell_count);
  heap->cells[heap->cell_count++] = (struct cell){*cell, rows->thread, NOTHING, number % 2};
}

static void take_past(void *context, const void *row, uint64_t number) {
  const struct heap_rows *rows = context;
  struct heap_image *heap = rows->heap;
  const struct recorded_heap_past *past = row;
  if (!past->cell) return;
  ARRAY_GROW(heap->past, heap->past_count);
  heap->past[heap->past_count++] = *past;
}

static void take_frame(void *context, const void *row, uint64_t number) {
  const struct heap_rows *rows = context;
  struct heap_image *heap = rows->heap;
  const struct recorded_heap_frame *frame = row;
  uint64_t id = rows->block->start / HEAP_FRAME_UNIT + number;
  if (!frame->address || id > UINT32_MAX) return;
  ARRAY_GROW(heap->frames, heap->frame_count);
  heap->frames[heap->frame_count++] =
      (struct frame){frame->address, (uint32_t)id, frame->parent, rows->block->first, rows->thread};
}

static void take_mapping(void *context, const void *row, uint64_t number) {
  const struct heap_rows *rows = context;
  struct heap_image *heap = rows->heap;
  const struct recorded_mapping *mapping = row;
  (void)number;
  if (heap->mapping_count == MAPPINGS_MOST) return; /* nor does the runtime write more */
  if (!mapping->tsc || !mapping->bytes || mapping->bytes > UINT64_MAX - mapping->address) return;
  if (mapping->change < MAPPING_GONE || mapping->change > MAPPING_BREAK) return;
  ARRAY_GROW(heap->mappings, heap->mapping_count);
  heap->mappings[heap->mapping_count++] = (struct mapping){*mapping, rows->thread, NOTHING};
}

void heap_read_names(struct image *image, const struct block *block) {
  struct process_recording *process = &image->process;
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct recorded_heap_name *name;
  while ((name = block_stream_record(&stream, sizeof *name, sizeof *name))) {
    if (!name->number || name->number >= HEAP_NAMES_MOST) continue;
    while (process->heap_name_count <= name->number) {
      ARRAY_GROW(process->heap_names, process->heap_name_count);
      process->heap_names[process->heap_name_count++] = NULL;
    }
    size_t length = strnlen(name->text, HEAP_NAME_BYTES);
    char *text = arena_take(&image->arena, length + 1);
    memcpy(text, name->text, length);
    text[length] = 0;
    process->heap_names[name->number] = text;
  }
  process->truncated |= stream.failed;
  block_stream_stop(&stream);
}

static void read_rows(struct image *image, const struct block *block, size_t bytes,
                      void (*take)(void *context, const void *row, uint64_t number)) {
  struct heap_rows rows = {heap_of(image), block, thread_find(image, block->thread)};
  if (rows.thread != NOTHING) block_rows(image, block, bytes, take, &rows);
}

void heap_read_cells(struct image *image, const struct block *block) {
  read_rows(image, block, sizeof(struct recorded_heap_cell), take_cell);
}

void heap_read_past(struct image *image, const struct block *block) {
  read_rows(image, block, sizeof(struct recorded_heap_past), take_past);
}

void heap_read_mappings(struct image *image, const struct block *block) {
  read_rows(image, block, sizeof(struct recorded_mapping), take_mapping);
}

void heap_read_frames(struct image *image, const struct block *block) {
  read_rows(image, block, sizeof(struct recorded_heap_frame), take_frame);
}

/* ---- from frames to contexts ---- */

static size_t find_frame(const struct heap_image *heap, uint32_t id) {
  size_t low = 0, high = heap->frame_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (heap->frames[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < heap->frame_count && heap->frames[low].id == id ? low : SIZE_MAX;
}

static uint32_t function_of(struct image *image, struct heap_states *states,
                            const struct frame *frame) {
  uint64_t address = frame->address == STACK_CUT ? STACK_CUT : frame->address | RETURN_ADDRESS;
  uint32_t fresh = (uint32_t)image->process.function_count;
  uint32_t function = map_find_or_add(&states->functions, address, frame->epoch, fresh);
  if (function == fresh) functions_add_call(image, address, frame->epoch);
  return function;
}

static int same_history(const void *array, uint32_t index, const void *key) {
  const struct state *a = (const struct state *)array + index, *b = key;
  return a->length == b->length && a->thread == b->thread &&
         (!a->length || memcmp(a->history, b->history, a->length * sizeof *a->history) == 0);
}

static uint32_t state_intern(struct image *image, struct heap_states *states,
                             struct state *wanted) {
  uint64_t hash = hash_mix(wanted->thread + 1);
  for (uint32_t i = 0; i < wanted->length; i++)
    hash = hash_mix(hash + wanted->history[i]);
  uint32_t known = hash_index_find(&states->by_history, hash, same_history, states->list, wanted);
  if (known != HASH_INDEX_NONE) return known;
  size_t bytes = wanted->length * sizeof *wanted->history;
  uint32_t *history = arena_take(&image->arena, bytes);
  if (bytes) memcpy(history, wanted->history, bytes);
  uint32_t index = next_index(states->count);
  ARRAY_GROW(states->list, states->count);
  states->list[states->count++] =
      (struct state){history, wanted->length, wanted->thread, NOTHING, wanted->recurs};
  states->entries += wanted->length;
  hash_index_add(&states->by_history, hash, index);
  return index;
}

/* NOTHING: a damaged file would take too much memory. */
static uint32_t state_step(struct image *image, struct heap_states *states, uint32_t from,
                           uint32_t function) {
  uint32_t known = map_find(&states->transitions, from, function);
  if (known != UINT32_MAX) return known;
  size_t most = ENTRIES_ALWAYS + image->heap->frame_count * ENTRIES_PER_FRAME;
  if (states->entries > most) return NOTHING;
  const struct state before = states->list[from];
  uint32_t *history = memory_resized(NULL, before.length + 1u, sizeof *history);
  struct state wanted = {.history = history, .thread = before.thread};
  wanted.recurs = before.recurs || history_has(before.history, before.length, function);
  bool room = states->entries < most / 2 && states->entries < WHOLE_ENTRIES_MOST;
  bool whole = stack_stays_whole(before.history, before.length, wanted.recurs, room);
  wanted.length = stack_step(before.history, before.length, function, whole, history);
  uint32_t state = state_intern(image, states, &wanted);
  free(history);
  return map_find_or_add(&states->transitions, from, function, state);
}

static uint32_t parents_state(struct image *image, struct heap_states *states, size_t index) {
  const struct frame *frame = &image->heap->frames[index];
  struct state root = {.thread = frame->thread};
  if (!frame->parent) return state_intern(image, states, &root);
  size_t parent = find_frame(image->heap, frame->parent);
  /* A frame is made after its caller's. */
  return parent < index ? states->of_frame[parent] : NOTHING;
}

static void resolve_frames(struct image *image, struct heap_states *states) {
  const struct heap_image *heap = image->heap;
  states->of_frame = memory_resized(NULL, heap->frame_count, sizeof *states->of_frame);
  for (size_t i = 0; i < heap->frame_count; i++) {
    uint32_t from = parents_state(image, states, i);
    uint32_t state = NOTHING;
    if (from != NOTHING)
      state = state_step(image, states, from, function_of(image, states, &heap->frames[i]));
    if (state == NOTHING) image->process.truncated = 1;
    states->of_frame[i] = state;
  }
}

static uint32_t add_context(struct image *image, const struct context_entry *context) {
  struct process_recording *process = &image->process;
  uint32_t index = next_index(process->context_count);
  ARRAY_GROW(process->contexts, process->context_count);
  process->contexts[process->context_count++] = *context;
  return index;
}

/* Where the stack is not known, that of the thread's calls without room. */
static uint32_t context_of(struct image *image, struct heap_states *states, uint32_t frame_id,
                           uint32_t thread) {
  const struct heap_image *heap = image->heap;
  size_t frame = find_frame(heap, frame_id);
  uint32_t id = frame == SIZE_MAX ? NOTHING : states->of_frame[frame];
  if (id == NOTHING) {
    struct context_entry lost = {.thread = thread,
                                 .flags = CONTEXT_READY | CONTEXT_OVERFLOW | CONTEXT_STACK};
    uint32_t known = map_find(&states->lost, thread, 0);
    return known != UINT32_MAX
               ? known
               : map_find_or_add(&states->lost, thread, 0, add_context(image, &lost));
  }
  struct state *state = &states->list[id];
  if (state->context == NOTHING) {
    struct context_entry context = {state->history, state->length, state->thread,
                                    CONTEXT_READY | CONTEXT_STACK};
    state->context = add_context(image, &context);
  }
  return state->context;
}

static uint32_t entry_of(struct image *image, struct heap_states *states,
                         struct heap_entry wanted) {
  struct process_recording *process = &image->process;
  uint32_t fresh = next_index(process->heap_count);
  uint64_t key = (uint64_t)wanted.area << 48 | (uint64_t)wanted.kind << 32 | wanted.context;
  uint32_t entry = map_find_or_add(&states->entry_of, key, wanted.centre, fresh);
  if (entry == fresh) {
    ARRAY_GROW(process->heap_entries, process->heap_count);
    process->heap_entries[process->heap_count++] = wanted;
  }
  return entry;
}

static uint32_t entry_of_cell(struct image *image, struct heap_states *states,
                              const struct cell *cell) {
  uint16_t kind = cell->recorded.kind;
  return entry_of(
      image, states,
      (struct heap_entry){.context = context_of(image, states, cell->recorded.frame, cell->thread),
                          .centre = cell->centre,
                          .kind = kind,
                          .area = HEAP_KIND_AREA(kind)});
}

static bool of_variances(const struct process_recording *process, const struct cell *cell) {
  return process->heap.mean && cell->is_second;
}

static void add_cell(const struct process_recording *process, struct heap_entry *entry,
                     const struct cell *of) {
  const struct recorded_heap_cell *cell = &of->recorded;
  struct heap_sums *sums = of_variances(process, of) ? &entry->variances : &entry->sums;
  uint64_t live = cell->allocated - cell->freed;
  sums->allocations += cell->allocations;
  sums->allocated += cell->allocated;
  sums->frees += cell->frees;
  sums->freed += cell->freed;
  sums->temporary += cell->temporary;
  /* Of a thread that frees others' blocks it may be below 0: only the sum is not. */
  uint64_t epoch = process->heap.areas[entry->area].peak_epoch;
  sums->at_peak += cell->peak_epoch == (uint32_t)epoch ? cell->at_peak : live;
}

/* Threads may not have told all of what they had live when the program ended. It was never less
 * than that at the peak. */
static void settle_peak(struct process_recording *process, enum heap_area area) {
  uint64_t live = 0, at_peak = 0;
  for (size_t i = 0; i < process->heap_count; i++) {
    const struct heap_entry *entry = &process->heap_entries[i];
    if (entry->area != area) continue;
    live += entry->sums.allocated - entry->sums.freed;
    at_peak += entry->sums.at_peak;
  }
  if ((int64_t)live <= (int64_t)at_peak) return;
  for (size_t i = 0; i < process->heap_count; i++) {
    struct heap_entry *entry = &process->heap_entries[i];
    if (entry->area != area) continue;
    entry->sums.at_peak = entry->sums.allocated - entry->sums.freed;
    entry->variances.at_peak = entry->variances.allocated - entry->variances.freed;
  }
  process->heap.areas[area].peak_tsc = process->header.tsc_updated;
}

/* ---- what was when ---- */

/* Below 0, as numbers without a sign have it, where blocks were named: settle_parts. */
static uint64_t rise(uint64_t *from, uint64_t to) {
  uint64_t by = to - *from;
  *from = to;
  return by;
}

/* What a cell was so far. */
struct cell_past {
  uint32_t entry;
  bool of_variances;
  struct heap_sums sums;
};

/* From what a cell was before to what it is in `now`. */
static void add_part(struct process_recording *process, struct cell_past *cell,
                     const struct recorded_heap_past *now) {
  struct heap_part part = {.entry = cell->entry, .slice = now->slice};
  struct heap_sums *before = &cell->sums;
  struct heap_sums rises = {.allocations = rise(&before->allocations, now->allocations),
                            .allocated = rise(&before->allocated, now->allocated),
                            .frees = rise(&before->frees, now->frees),
                            .freed = rise(&before->freed, now->freed),
                            .temporary = rise(&before->temporary, now->temporary)};
  if (!rises.allocations && !rises.allocated && !rises.frees && !rises.temporary) return;
  *(cell->of_variances ? &part.variances : &part.sums) = rises;
  ARRAY_GROW(process->heap_parts, process->heap_part_count);
  process->heap_parts[process->heap_part_count++] = part;
}

static void add_parts(struct image *image, struct cell_past *cells) {
  const struct heap_image *heap = image->heap;
  for (size_t i = 0; i < heap->past_count; i++) {
    uint32_t cell = map_find(&heap->cell_places, heap->past[i].cell, 0);
    if (cell < heap->cell_count) add_part(&image->process, &cells[cell], &heap->past[i]);
  }
  for (size_t i = 0; i < heap->cell_count; i++) {
    const struct recorded_heap_cell *cell = &heap->cells[i].recorded;
    add_part(&image->process, &cells[i],
             &(struct recorded_heap_past){.slice = cell->slice,
                                          .allocations = cell->allocations,
                                          .allocated = cell->allocated,
                                          .frees = cell->frees,
                                          .freed = cell->freed,
                                          .temporary = cell->temporary});
  }
}

/* ---- blocks that were named after they were counted ---- */

/* Naming moves a block from one entry to another, in the slice when it is named.  But a block
 * counts as what it was called last, from its allocation on.  So among entries that differ in their
 * names only, what is below 0 in a slice is carried back to the slice before, together with as much
 * of what took its place.  In each slice the sum over these entries stays what it was. */
struct family {
  struct heap_part *parts; /* by slice, then by entry */
  size_t entries, slices;
};

static int64_t *quantity(struct heap_part *part, int which) {
  struct heap_sums *sums = which < 2 ? &part->sums : &part->variances;
  return (int64_t *)(which % 2 ? &sums->allocated : &sums->allocations);
}

/* From `slice` to the one before it; from the first one, where only a damaged file has anything, to
 * nowhere. */
static void pass_on(const struct family *family, size_t slice, int which) {
  struct heap_part *now = family->parts + slice * family->entries;
  struct heap_part *earlier = slice ? now - family->entries : NULL;
  int64_t below = 0;
  for (size_t i = 0; i < family->entries; i++) {
    int64_t *of = quantity(&now[i], which);
    if (*of >= 0) continue;
    below -= *of;
    if (earlier) *quantity(&earlier[i], which) += *of;
    *of = 0;
  }
  for (size_t i = 0; below > 0 && i < family->entries; i++) {
    int64_t *of = quantity(&now[i], which), taken = *of < below ? *of : below;
    *of -= taken;
    below -= taken;
    if (earlier) *quantity(&earlier[i], which) += taken;
  }
}

static int by_family(const void *left, const void *right, void *families) {
  const struct heap_part *a = left, *b = right;
  const uint32_t *family = families;
  if (family[a->entry] != family[b->entry]) return family[a->entry] < family[b->entry] ? -1 : 1;
  if (a->slice != b->slice) return a->slice < b->slice ? -1 : 1;
  return (a->entry > b->entry) - (a->entry < b->entry);
}

static bool below_zero(struct heap_part *part) {
  for (int which = 0; which < 4; which++)
    if (*quantity(part, which) < 0) return true;
  return false;
}

/* By entry: the first one that differs in its name only. */
static uint32_t *families_of(const struct process_recording *process) {
  struct map known = {0};
  uint32_t *families = memory_zeroed(process->heap_count, sizeof *families);
  for (uint32_t i = 0; i < process->heap_count; i++) {
    const struct heap_entry *entry = &process->heap_entries[i];
    bool named = entry->area == HEAP_OF_MALLOC;
    uint32_t alike =
        named ? HEAP_KIND_CLASS(entry->kind) : entry->kind | (uint32_t)entry->area << 16;
    uint64_t first = (uint64_t)alike << 32 | entry->context;
    families[i] = map_find_or_add(&known, first, entry->centre, i);
  }
  map_free(&known);
  return families;
}

/* `parts` are those of one family, in order. What they become is appended to the process's.
 * False: a damaged file would take too much memory. */
static bool settle_family(struct process_recording *process, const struct heap_part *parts,
                          size_t count) {
  struct map rows = {0}, columns = {0};
  for (size_t i = 0; i < count; i++) {
    map_find_or_add(&rows, parts[i].slice, 0, (uint32_t)rows.count);
    map_find_or_add(&columns, parts[i].entry, 0, (uint32_t)columns.count);
  }
  struct family family = {.entries = columns.count, .slices = rows.count};
  size_t cells = family.entries * family.slices;
  bool fits = cells <= FAMILY_CELLS + 16 * count;
  family.parts = fits ? memory_zeroed(cells, sizeof *family.parts) : NULL;
  for (size_t i = 0; fits && i < count; i++) {
    size_t row = map_find(&rows, parts[i].slice, 0), column = map_find(&columns, parts[i].entry, 0);
    struct heap_part *to = &family.parts[row * family.entries + column];
    family.parts[row * family.entries].slice = parts[i].slice;
    family.parts[column].entry = parts[i].entry;
    heap_sums_add(&to->sums, &parts[i].sums);
    heap_sums_add(&to->variances, &parts[i].variances);
  }
  for (size_t slice = family.slices; fits && slice-- > 0;)
    for (int which = 0; which < 4; which++)
      pass_on(&family, slice, which);
  for (size_t i = 0; fits && i < cells; i++) {
    struct heap_part part = family.parts[i];
    part.slice = family.parts[i / family.entries * family.entries].slice;
    part.entry = family.parts[i % family.entries].entry;
    ARRAY_GROW(process->heap_parts, process->heap_part_count);
    process->heap_parts[process->heap_part_count++] = part;
  }
  free(family.parts);
  map_free(&rows);
  map_free(&columns);
  return fits;
}

/* Afterwards no part of the process is below 0. False: it would take too much memory. */
static bool settle_parts(struct process_recording *process) {
  if (!process->heap_name_count || !process->heap_part_count) return true;
  uint32_t *families = families_of(process);
  struct heap_part *parts = process->heap_parts;
  size_t count = process->heap_part_count;
  qsort_r(parts, count, sizeof *parts, by_family, families);
  process->heap_parts = NULL;
  process->heap_part_count = 0;
  bool fits = true;
  for (size_t first = 0, end; fits && first < count; first = end) {
    bool any_below = false;
    for (end = first; end < count && families[parts[end].entry] == families[parts[first].entry];
         end++)
      any_below |= below_zero(&parts[end]);
    if (any_below) {
      fits = settle_family(process, parts + first, end - first);
      continue;
    }
    for (size_t i = first; i < end; i++) {
      ARRAY_GROW(process->heap_parts, process->heap_part_count);
      process->heap_parts[process->heap_part_count++] = parts[i];
    }
  }
  free(families);
  free(parts);
  return fits;
}

/* ---- mappings ---- */

static int by_time(const void *left, const void *right) {
  uint64_t a = ((const struct mapping *)left)->recorded.tsc,
           b = ((const struct mapping *)right)->recorded.tsc;
  return (a > b) - (a < b);
}

/* What each asked for. Mappings of one are of one stack, centre and kind. */
static uint32_t *entries_of_mappings(struct image *image, struct heap_states *states) {
  const struct heap_image *heap = image->heap;
  uint32_t *entries = memory_zeroed(heap->mapping_count, sizeof *entries);
  for (size_t i = 0; i < heap->mapping_count; i++) {
    const struct mapping *mapping = &heap->mappings[i];
    const struct recorded_mapping *row = &mapping->recorded;
    if (row->change == MAPPING_GONE) continue;
    entries[i] = entry_of(
        image, states,
        (struct heap_entry){.context = context_of(image, states, row->frame, mapping->thread),
                            .centre = mapping->centre,
                            .kind = HEAP_KIND(heap_class_of(row->bytes), row->change),
                            .area = HEAP_OF_MAPPINGS});
  }
  return entries;
}

/* The slice of a moment; that of the first one for what was before. */
static uint32_t slice_of(const struct process_recording *process, uint64_t tsc) {
  size_t low = 0, high = process->slice_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (process->slices[middle].tsc <= tsc)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? (uint32_t)low - 1 : 0;
}

static void add_change(struct process_recording *process, uint32_t entry, uint32_t slice,
                       struct heap_sums change) {
  struct heap_part part = {.entry = entry, .slice = slice, .sums = change};
  heap_sums_add(&process->heap_entries[entry].sums, &change);
  ARRAY_GROW(process->heap_parts, process->heap_part_count);
  process->heap_parts[process->heap_part_count++] = part;
}

/* What an entry has now, and had at the peak, if that is the peak's number; else it has the same
 * still. */
struct held {
  uint64_t bytes, at_peak, peak;
};

/* The mappings in the order of time. */
struct mapping_changes {
  struct process_recording *process;
  uint32_t *entries; /* by mapping */
  struct held *held; /* by entry */
  uint32_t slice;
  uint64_t live, most, peak;
};

static void hold(struct mapping_changes *changes, uint32_t entry, uint64_t more) {
  struct held *held = &changes->held[entry];
  if (held->peak != changes->peak) {
    held->at_peak = held->bytes;
    held->peak = changes->peak;
  }
  held->bytes += more;
  changes->live += more;
}

static void mapping_gone(void *context, size_t mapping, uint64_t bytes, bool last) {
  struct mapping_changes *changes = context;
  uint32_t entry = changes->entries[mapping];
  add_change(changes->process, entry, changes->slice,
             (struct heap_sums){.frees = last, .freed = bytes});
  hold(changes, entry, -bytes);
}

static void mapping_came(struct mapping_changes *changes, size_t mapping, uint64_t bytes) {
  uint32_t entry = changes->entries[mapping];
  add_change(changes->process, entry, changes->slice,
             (struct heap_sums){.allocations = 1, .allocated = bytes});
  hold(changes, entry, bytes);
  /* Of equal peaks the last, as with the heap's. */
  if (changes->live < changes->most) return;
  changes->most = changes->live;
  changes->peak++;
}

/* The kernel unmaps whole pages. */
static uint64_t whole_pages(uint64_t end) {
  uint64_t page = 4096;
  return end > UINT64_MAX - page ? end : (end + page - 1) / page * page;
}

static void add_mappings(struct image *image, struct heap_states *states) {
  struct heap_image *heap = image->heap;
  struct process_recording *process = &image->process;
  if (!heap->mapping_count) return;
  qsort(heap->mappings, heap->mapping_count, sizeof *heap->mappings, by_time);
  struct mapping_changes changes = {.process = process,
                                    .entries = entries_of_mappings(image, states)};
  changes.held = memory_zeroed(process->heap_count, sizeof *changes.held);
  struct mapped_ranges ranges = {0};
  for (size_t i = 0; i < heap->mapping_count; i++) {
    const struct recorded_mapping *row = &heap->mappings[i].recorded;
    changes.slice = slice_of(process, row->tsc);
    uint64_t end = row->address + row->bytes;
    mapped_ranges_remove(&ranges, row->address, whole_pages(end), mapping_gone, &changes);
    if (row->change == MAPPING_GONE) continue;
    mapped_ranges_add(&ranges, row->address, end, i);
    mapping_came(&changes, i, row->bytes);
  }
  for (size_t i = 0; i < process->heap_count; i++) {
    const struct held *held = &changes.held[i];
    struct heap_entry *entry = &process->heap_entries[i];
    if (entry->area != HEAP_OF_MAPPINGS) continue;
    entry->sums.at_peak = held->peak == changes.peak ? held->at_peak : held->bytes;
  }
  mapped_ranges_free(&ranges);
  free(changes.held);
  free(changes.entries);
}

void heap_resolve_centres(struct image *image) {
  for (size_t i = 0; image->heap && i < image->heap->cell_count; i++) {
    struct cell *cell = &image->heap->cells[i];
    if (cell->recorded.centre) cell->centre = resolve_context(image, cell->recorded.centre);
  }
  for (size_t i = 0; image->heap && i < image->heap->mapping_count; i++) {
    struct mapping *mapping = &image->heap->mappings[i];
    if (mapping->recorded.centre)
      mapping->centre = resolve_context(image, mapping->recorded.centre);
  }
}

void heap_resolve(struct image *image) {
  struct heap_states states = {0};
  if (!image->heap) return;
  struct cell_past *cells = memory_zeroed(image->heap->cell_count, sizeof *cells);
  resolve_frames(image, &states);
  for (size_t i = 0; i < image->heap->cell_count; i++) {
    cells[i].entry = entry_of_cell(image, &states, &image->heap->cells[i]);
    add_cell(&image->process, &image->process.heap_entries[cells[i].entry], &image->heap->cells[i]);
    cells[i].of_variances = of_variances(&image->process, &image->heap->cells[i]);
  }
  for (enum heap_area area = 0; area < HEAP_BOOKS; area++)
    settle_peak(&image->process, area);
  add_parts(image, cells);
  bool by_time = settle_parts(&image->process);
  add_mappings(image, &states);
  if (!by_time) {
    image->process.heap_part_count = 0;
    image->process.truncated = 1;
  }
  free(cells);
  free(states.list);
  free(states.of_frame);
  map_free(&states.entry_of);
  map_free(&states.lost);
  hash_index_free(&states.by_history);
  map_free(&states.transitions);
  map_free(&states.functions);
}
