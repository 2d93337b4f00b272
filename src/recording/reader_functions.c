#include <string.h>

#include "base/array.h"
#include "recording/reader_image.h"

/* Append a function; its object is found when all of them are known. */
static int add_function(struct image *image, uint32_t id, uint64_t address, uint64_t event) {
  size_t count = image->process.function_count;
  if (count >= NOTHING / 2) return -1;
  struct function_entry *functions = array_reserve(
      image->process.functions, &image->function_capacity, count + 1, sizeof *functions);
  if (!functions) return -1;
  image->process.functions = functions;
  uint32_t *ids =
      array_reserve(image->function_ids, &image->function_id_capacity, count + 1, sizeof *ids);
  if (!ids) return -1;
  image->function_ids = ids;
  functions[count] = (struct function_entry){.address = address & ~RETURN_ADDRESS,
                                             .event = event,
                                             .kind = address == STACK_CUT       ? ENTRY_CUT
                                                     : address & RETURN_ADDRESS ? ENTRY_CALL
                                                                                : ENTRY_FUNCTION,
                                             .object = NOTHING};
  ids[count] = id;
  image->process.function_count++;
  return 0;
}

static int enter_id(struct image *image, uint32_t id) {
  size_t cell = id - image->process.header.function_base;
  if (cell >= image->function_cell_count) {
    uint32_t *cells = array_reserve(image->function_cells, &image->function_cell_capacity, cell + 1,
                                    sizeof *cells);
    if (!cells) return -1;
    image->function_cells = cells;
    memset(cells + image->function_cell_count, 0xff,
           (image->function_cell_capacity - image->function_cell_count) * sizeof *cells);
    image->function_cell_count = image->function_cell_capacity;
  }
  image->function_cells[cell] = (uint32_t)image->process.function_count;
  return 0;
}

/* Ids are given out one after the other, so a file of this size cannot hold larger ones. */
static int id_is_possible(const struct image *image, uint64_t id) {
  uint32_t base = image->process.header.function_base;
  return id >= base && id - base <= image->limit / sizeof(struct recorded_function) &&
         id < NOTHING / 2;
}

int functions_read(struct image *image, const struct block *block) {
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct recorded_function *rows;
  size_t count;
  uint64_t skipped, id = block->first;
  int status = 0;
  while (status == 0 && (rows = block_stream_rows(&stream, sizeof *rows, &count, &skipped))) {
    id += skipped;
    for (size_t i = 0; i < count && status == 0; i++, id++) {
      if (rows[i].address == 0) continue;
      if (!id_is_possible(image, id))
        image->process.truncated = 1;
      else if (enter_id(image, (uint32_t)id) < 0 ||
               add_function(image, (uint32_t)id, rows[i].address, rows[i].event) < 0)
        status = -1;
    }
  }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
  return status;
}

static uint32_t find_own(const struct image *image, uint32_t id) {
  size_t cell = id - image->process.header.function_base;
  return cell < image->function_cell_count ? image->function_cells[cell] : NOTHING;
}

static int has_id(const void *array, uint32_t index, const void *key) {
  return ((const uint32_t *)array)[index] == *(const uint32_t *)key;
}

static uint32_t find_inherited(struct image *image, uint32_t id, int *status) {
  uint32_t known =
      hash_index_find(&image->inherited_functions, hash_mix(id), has_id, image->function_ids, &id);
  if (known != HASH_INDEX_NONE) return known;
  const struct image *ancestor = image->parent;
  while (ancestor && id < ancestor->process.header.function_base)
    ancestor = ancestor->parent;
  uint32_t theirs = ancestor ? find_own(ancestor, id) : NOTHING;
  if (theirs == NOTHING) return NOTHING;
  const struct function_entry *function = &ancestor->process.functions[theirs];
  uint32_t index = (uint32_t)image->process.function_count;
  uint64_t address = function->address;
  if (function->kind != ENTRY_FUNCTION) address |= RETURN_ADDRESS;
  if (add_function(image, id, address, function->event) < 0 ||
      hash_index_add(&image->inherited_functions, hash_mix(id), index) < 0) {
    *status = -1;
    return NOTHING;
  }
  return index;
}

uint32_t functions_find(struct image *image, uint32_t id, int *status) {
  return id >= image->process.header.function_base ? find_own(image, id)
                                                   : find_inherited(image, id, status);
}
