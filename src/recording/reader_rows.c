/* Rows (ascribe/hook.h): from slots to transitions. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/history.h"
#include "recording/reader_image.h"

/* A row as it was read: the counts of its leaves, its header, its slots. */
struct row {
  const uint64_t *words;
  const uint64_t *pauses; /* the same words of its pauses; null: none */
  uint32_t leaves, slots; /* words before and behind the header */
  bool in_pause;          /* it was made in a pause that has not ended */
};

struct rows {
  struct row *rows;
  size_t count;
  struct map by_id;
  const struct recorded_sites **sites;
  size_t site_count;
  struct map sites_by_id;
};

static struct rows *rows_of(struct image *image) {
  if (!image->rows) image->rows = memory_zeroed(1, sizeof *image->rows);
  return image->rows;
}

void rows_free(struct image *image) {
  if (!image->rows) return;
  free(image->rows->rows);
  free(image->rows->sites);
  map_free(&image->rows->by_id);
  map_free(&image->rows->sites_by_id);
  free(image->rows);
  image->rows = NULL;
}

static const struct ascribe_row *header_of(const struct row *row) {
  return (const struct ascribe_row *)(row->words + row->leaves);
}

static const uint64_t *copy(struct image *image, const void *words, uint64_t bytes) {
  return memcpy(arena_take(&image->arena, bytes), words, bytes);
}

/* `offset`: of the record in the part of the file that rows have. */
static void add_row(struct image *image, const struct ascribe_row_start *start, const void *pauses,
                    uint64_t offset) {
  struct rows *rows = rows_of(image);
  uint32_t leaves = ascribe_row_leaves(start);
  uint64_t below = ascribe_row_below(leaves);
  if (start->bytes < sizeof *start || below + sizeof(struct ascribe_row) > start->bytes) {
    image->process.truncated = 1;
    return;
  }
  uint64_t from = below - 8ull * leaves, bytes = start->bytes - from;
  struct row row = {.words = copy(image, (const char *)start + from, bytes),
                    .pauses = pauses ? copy(image, (const char *)pauses + from, bytes) : NULL,
                    .leaves = leaves,
                    .in_pause = start->leaves & ASCRIBE_ROW_IN_PAUSE,
                    .slots = (uint32_t)((start->bytes - below - sizeof(struct ascribe_row)) / 8)};
  if (!header_of(&row)->function) return; /* it was being made */
  uint32_t index = next_index(rows->count++);
  ARRAY_GROW(rows->rows, index);
  rows->rows[index] = row;
  map_find_or_add(&rows->by_id, ROW_IDS + (uint32_t)((offset + below) / CONTEXT_UNIT), 0, index);
}

/* ---- a block and its pauses ---- */

void paused_stream_start(struct paused_stream *stream, const struct image *image,
                         const struct block *block) {
  struct block records = *block, pauses = {.start = block->pauses + sizeof(struct block_header)};
  bool is_empty = records.end - records.start < ASCRIBE_ROW_FIRST;
  records.start = is_empty ? records.end : records.start + ASCRIBE_ROW_FIRST;
  pauses.start += ASCRIBE_ROW_FIRST;
  pauses.end = pauses.start + (records.end - records.start);
  block_stream_start(&stream->records, image, &records);
  block_stream_start(&stream->pauses, image, &pauses);
  if (!block->pauses || block->pauses > image->limit || pauses.end > image->limit)
    stream->pauses.descriptor = -1;
}

void paused_stream_stop(struct paused_stream *stream) {
  block_stream_stop(&stream->records);
  block_stream_stop(&stream->pauses);
}

const void *paused_stream_record(struct paused_stream *stream, uint32_t least,
                                 const void **pauses) {
  const void *record = block_stream_record(&stream->records, least, CONTEXT_UNIT);
  if (!record) return NULL;
  uint32_t bytes;
  memcpy(&bytes, record, sizeof bytes);
  *pauses = stream->pauses.descriptor >= 0 ? block_stream_peek(&stream->pauses, bytes) : NULL;
  if (*pauses) stream->pauses.at += bytes;
  return record;
}

void rows_read(struct image *image, const struct block *block) {
  struct paused_stream stream;
  paused_stream_start(&stream, image, block);
  uint64_t offset = block->start + ASCRIBE_ROW_FIRST - image->process.header.rows_offset;
  const struct ascribe_row_start *start;
  const void *pauses;
  while ((start = paused_stream_record(&stream, sizeof *start, &pauses))) {
    add_row(image, start, pauses, offset);
    offset += start->bytes;
  }
  image->process.truncated |= stream.records.failed;
  paused_stream_stop(&stream);
}

static bool are_sites(const struct recorded_sites *record) {
  return record->ready && record->count <= (record->bytes - sizeof *record) / sizeof *record->sites;
}

void rows_read_sites(struct image *image, const struct block *block) {
  struct rows *rows = rows_of(image);
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  uint64_t offset = block->start;
  const struct recorded_sites *record;
  while ((record = block_stream_record(&stream, sizeof *record, CONTEXT_UNIT))) {
    if (are_sites(record)) {
      struct recorded_sites *own = arena_take(&image->arena, record->bytes);
      memcpy(own, record, record->bytes);
      uint32_t index = next_index(rows->site_count++);
      ARRAY_GROW(rows->sites, index);
      rows->sites[index] = own;
      uint32_t id = image->process.header.context_base + (uint32_t)(offset / CONTEXT_UNIT);
      map_find_or_add(&rows->sites_by_id, id, 0, index);
    }
    offset += record->bytes;
  }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}

static const struct recorded_sites *find_sites(const struct image *image, uint32_t id) {
  while (image && id < image->process.header.context_base)
    image = image->parent;
  if (!image || !image->rows) return NULL;
  uint32_t index = map_find(&image->rows->sites_by_id, id, 0);
  return index == NOTHING ? NULL : image->rows->sites[index];
}

static const struct row *find_row(const struct image *image, uint32_t id) {
  uint32_t index = image->rows ? map_find(&image->rows->by_id, id, 0) : NOTHING;
  return index == NOTHING ? NULL : &image->rows->rows[index];
}

uint32_t rows_context(const struct image *image, uint32_t id) {
  const struct row *row = find_row(image, id);
  return row ? header_of(row)->context : 0;
}

/* The word at a site's place; 0: there is no such place. */
static uint64_t word_at(const struct row *row, int place) {
  int header = (int)(sizeof(struct ascribe_row) / 8);
  if (place < -(int)row->leaves || place >= header + (int)row->slots) return 0;
  return row->words[(int)row->leaves + place];
}

/* What counts of what was counted at a site's place. */
static uint64_t count_at(const struct row *row, int place) {
  if (row->in_pause) return 0;
  uint64_t count = word_at(row, place);
  if (!row->pauses) return count;
  struct row pauses = *row;
  pauses.words = row->pauses;
  uint64_t sum = word_at(&pauses, place);
  count = header_of(&pauses)->function == ROW_PAUSED ? -sum : count - sum;
  return count > UINT64_MAX / 2 ? 0 : count; /* a damaged file */
}

static void add(struct image *image, uint32_t from, uint32_t to, uint64_t site, uint64_t count) {
  struct process_recording *process = &image->process;
  uint32_t index = next_index(process->transition_count++);
  ARRAY_GROW(process->transitions, index);
  process->transitions[index] =
      (struct transition_entry){.from = from, .to = to, .site = site, .count = count};
}

/* A call that has the address of the next row. */
static void add_call(struct image *image, uint32_t from, uint64_t next, uint64_t site,
                     uint64_t count) {
  const struct recording_header *header = &image->process.header;
  if (!next || next & ASCRIBE_ROW_TAG || !count) return;
  uint64_t offset = next - header->rows_address;
  if (offset < header->rows_capacity)
    add(image, from, ROW_IDS + (uint32_t)(offset / CONTEXT_UNIT), site, count);
  else
    image->process.truncated = 1;
}

static void add_calls(struct image *image, const struct row *row,
                      const struct recorded_sites *sites) {
  uint32_t from = header_of(row)->context;
  for (uint32_t i = 0; i < sites->count; i++) {
    const struct recorded_site *site = &sites->sites[i];
    unsigned kind = site->kind & ASCRIBE_SITE_KINDS;
    if (site->place && (kind == ASCRIBE_SITE_POINTER || kind == ASCRIBE_SITE_DIRECT))
      add_call(image, from, word_at(row, site->place), site->address,
               count_at(row, site->place + 1));
  }
}

void rows_add_calls(struct image *image) {
  for (size_t i = 0; image->rows && i < image->rows->count; i++) {
    const struct row *row = &image->rows->rows[i];
    const struct recorded_sites *sites = find_sites(image, header_of(row)->sites);
    if (sites)
      add_calls(image, row, sites);
    else if (header_of(row)->sites)
      image->process.truncated = 1;
  }
}

/* The context of a leaf, which no row has: the caller's, a step further. */
static uint32_t make_leaf_context(struct image *image, uint32_t from, uint32_t function) {
  struct process_recording *process = &image->process;
  const struct context_entry *caller = &process->contexts[from];
  uint32_t *history = arena_take(&image->arena, (caller->length + 1) * sizeof *history);
  struct context_entry entry = {
      .history = history,
      .length = history_step(caller->history, caller->length, function, history),
      .thread = caller->thread,
      .flags = CONTEXT_READY};
  uint32_t index = next_index(process->context_count++);
  ARRAY_GROW(process->contexts, index);
  process->contexts[index] = entry;
  return index;
}

static void add_leaves(struct image *image, uint32_t from, const struct row *row,
                       const struct recorded_sites *sites, struct map *made) {
  for (uint32_t i = 0; i < sites->count; i++) {
    const struct recorded_site *site = &sites->sites[i];
    uint64_t count = count_at(row, site->place);
    if ((site->kind & ASCRIBE_SITE_KINDS) != ASCRIBE_SITE_LEAF || !count) continue;
    uint32_t function = site->callee ? functions_find(image, site->callee - 1) : NOTHING;
    if (function == NOTHING) {
      image->process.truncated = 1;
      continue;
    }
    uint32_t to = map_find(made, from, function);
    if (to == NOTHING) {
      to = make_leaf_context(image, from, function);
      map_find_or_add(made, from, function, to);
    }
    add(image, from, to, site->address, count);
  }
}

void rows_add_leaves(struct image *image) {
  struct map made = {0};
  for (size_t i = 0; image->rows && i < image->rows->count; i++) {
    const struct row *row = &image->rows->rows[i];
    const struct recorded_sites *sites = find_sites(image, header_of(row)->sites);
    uint32_t from = sites ? resolve_context(image, header_of(row)->context) : NOTHING;
    if (from != NOTHING) add_leaves(image, from, row, sites, &made);
  }
  map_free(&made);
}
