#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/reader_image.h"

/* Remember that the context at this offset of the file has the next index. */
static int enter_id(struct image *image, uint64_t offset) {
  if (!image->context_units) {
    image->context_units = calloc(image->limit / RECORDING_UNIT + 1, sizeof *image->context_units);
    if (!image->context_units) return -1;
  }
  uint32_t *unit = &image->context_units[offset / RECORDING_UNIT];
  if (*unit == 0) {
    size_t first = image->context_cell_count;
    uint32_t *cells = array_reserve(image->context_cells, &image->context_cell_capacity,
                                    first + UNIT_CELLS, sizeof *cells);
    if (!cells) return -1;
    image->context_cells = cells;
    memset(cells + first, 0xff, UNIT_CELLS * sizeof *cells);
    image->context_cell_count += UNIT_CELLS;
    *unit = (uint32_t)(first / UNIT_CELLS) + 1;
  }
  size_t cell = (size_t)(*unit - 1) * UNIT_CELLS + offset % RECORDING_UNIT / CONTEXT_UNIT;
  image->context_cells[cell] = (uint32_t)image->process.context_count;
  return 0;
}

uint32_t contexts_own(const struct image *image, uint32_t id) {
  uint32_t base = image->process.header.context_base;
  if (id < base || id >= MADE_ROOT_FIRST || !image->context_units) return NOTHING;
  uint64_t offset = (uint64_t)(id - base) * CONTEXT_UNIT;
  if (offset >= image->limit) return NOTHING;
  uint32_t unit = image->context_units[offset / RECORDING_UNIT];
  if (unit == 0) return NOTHING;
  return image
      ->context_cells[(size_t)(unit - 1) * UNIT_CELLS + offset % RECORDING_UNIT / CONTEXT_UNIT];
}

/* Whether a record that claims to be ready can be a context: only roots and overflow contexts
 * have no history, and the running function is marked. */
static int is_context(const struct recorded_context *record) {
  if (record->length > (record->bytes - sizeof *record) / sizeof *record->history) return 0;
  if (record->length == 0) return (record->flags & (CONTEXT_ROOT | CONTEXT_OVERFLOW)) != 0;
  return record->history[record->length - 1] & 1;
}

static int add_context(struct image *image, const struct recorded_context *record, uint32_t thread,
                       uint64_t offset) {
  size_t count = image->process.context_count;
  struct context_entry *contexts =
      array_reserve(image->process.contexts, &image->context_capacity, count + 1, sizeof *contexts);
  if (!contexts) return -1;
  image->process.contexts = contexts;
  uint32_t *history = arena_take(&image->arena, record->length * sizeof *history);
  if (!history || count >= NOTHING || enter_id(image, offset) < 0) return -1;
  memcpy(history, record->history, record->length * sizeof *history);
  contexts[count] = (struct context_entry){
      .history = history,
      .length = record->length,
      .thread = thread,
      .flags = record->flags & (CONTEXT_READY | CONTEXT_ROOT | CONTEXT_OVERFLOW | CONTEXT_STACK)};
  image->process.context_count++;
  return 0;
}

int contexts_read(struct image *image, const struct block *block) {
  uint32_t thread = thread_find(image, block->thread);
  if (thread == NOTHING) return -1;
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  uint64_t offset = block->start;
  const struct recorded_context *record;
  int status = 0;
  while (status == 0 && (record = block_stream_peek(&stream, sizeof *record)) && record->bytes) {
    uint32_t bytes = record->bytes;
    if (bytes < sizeof *record || bytes % CONTEXT_UNIT != 0 ||
        !(record = block_stream_peek(&stream, bytes))) {
      image->process.truncated = 1;
      break;
    }
    if (record->flags & CONTEXT_READY) {
      if (is_context(record))
        status = add_context(image, record, thread, offset);
      else
        image->process.truncated = 1;
    }
    block_stream_skip(&stream, bytes);
    offset += bytes;
  }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
  return status;
}
