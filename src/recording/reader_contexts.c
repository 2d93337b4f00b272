#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/reader_image.h"

static size_t cell_of(uint32_t unit, uint64_t offset) {
  return (size_t)unit * UNIT_CELLS + offset % RECORDING_UNIT / CONTEXT_UNIT;
}

/* Remember that the context at this offset of the file has the next index. */
static void enter_id(struct image *image, uint64_t offset) {
  uint32_t count = (uint32_t)image->context_units.count;
  uint32_t unit = map_find_or_add(&image->context_units, offset / RECORDING_UNIT, 0, count);
  if (unit == count) {
    size_t first = (size_t)unit * UNIT_CELLS;
    ARRAY_ROOM(image->context_cells, first + UNIT_CELLS);
    memset(image->context_cells + first, 0xff, UNIT_CELLS * sizeof *image->context_cells);
  }
  image->context_cells[cell_of(unit, offset)] = next_index(image->process.context_count);
}

uint32_t contexts_own(const struct image *image, uint32_t id) {
  uint32_t base = image->process.header.context_base;
  if (id < base || id >= MADE_ROOT_FIRST) return NOTHING;
  uint64_t offset = (uint64_t)(id - base) * CONTEXT_UNIT;
  uint32_t unit = map_find(&image->context_units, offset / RECORDING_UNIT, 0);
  return unit == NOTHING ? NOTHING : image->context_cells[cell_of(unit, offset)];
}

/* Whether a record that claims to be ready can be a context: only roots and overflow contexts
 * have no history, and the running function is marked. */
static int is_context(const struct recorded_context *record) {
  if (record->length > (record->bytes - sizeof *record) / sizeof *record->history) return 0;
  if (record->length == 0) return (record->flags & (CONTEXT_ROOT | CONTEXT_OVERFLOW)) != 0;
  return record->history[record->length - 1] & 1;
}

static void add_context(struct image *image, const struct recorded_context *record, uint32_t thread,
                        uint64_t offset) {
  struct process_recording *process = &image->process;
  uint32_t *history = arena_take(&image->arena, record->length * sizeof *history);
  memcpy(history, record->history, record->length * sizeof *history);
  enter_id(image, offset);
  ARRAY_GROW(process->contexts, process->context_count);
  process->contexts[process->context_count++] = (struct context_entry){
      .history = history,
      .length = record->length,
      .thread = thread,
      .flags = record->flags & (CONTEXT_READY | CONTEXT_ROOT | CONTEXT_OVERFLOW | CONTEXT_STACK)};
}

bool context_is_of_centres(const struct process_recording *process, uint32_t context) {
  const struct context_entry *entry = &process->contexts[context];
  for (uint32_t i = 0; i < entry->length; i++) {
    uint64_t address = process->functions[entry->history[i] >> 1].address;
    if (!IS_CENTRE(address)) return false;
  }
  return entry->length && !(entry->flags & CONTEXT_STACK);
}

void contexts_read(struct image *image, const struct block *block) {
  uint32_t thread = thread_find(image, block->thread);
  if (thread == NOTHING) return;
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  uint64_t offset = block->start;
  const struct recorded_context *record;
  while ((record = block_stream_record(&stream, sizeof *record, CONTEXT_UNIT))) {
    if (record->flags & CONTEXT_READY) {
      if (is_context(record))
        add_context(image, record, thread, offset);
      else
        image->process.truncated = 1;
    }
    offset += record->bytes;
  }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}
