#include <string.h>

#include "base/memory.h"
#include "recording/reader_image.h"

/* Append a function; its object is found when all of them are known. */
static void add_function(struct image *image, uint32_t id, uint64_t address, uint64_t epoch) {
  struct process_recording *process = &image->process;
  size_t index = process->function_count++;
  if (index >= NOTHING / 2) memory_exhausted(); /* histories have a bit beside it */
  ARRAY_GROW(process->functions, index);
  ARRAY_GROW(image->function_ids, index);
  process->functions[index] =
      (struct function_entry){.address = address & ~RETURN_ADDRESS,
                              .epoch = epoch,
                              .kind = address == STACK_CUT       ? ENTRY_CUT
                                      : address & RETURN_ADDRESS ? ENTRY_CALL
                                                                 : ENTRY_FUNCTION,
                              .object = NOTHING};
  image->function_ids[index] = id;
}

void functions_add_call(struct image *image, uint64_t address, uint64_t epoch) {
  add_function(image, NOTHING, address, epoch);
}

static void enter_id(struct image *image, uint32_t id) {
  size_t cell = id - image->process.header.function_base, known = image->function_cell_count;
  if (cell >= known) {
    ARRAY_ROOM(image->function_cells, cell + 1);
    memset(image->function_cells + known, 0xff, (cell + 1 - known) * sizeof(uint32_t));
    image->function_cell_count = cell + 1;
  }
  image->function_cells[cell] = (uint32_t)image->process.function_count;
}

/* Ids are given out one after the other, so a file of this size cannot hold larger ones. */
static int id_is_possible(const struct image *image, uint64_t id) {
  uint32_t base = image->process.header.function_base;
  return id >= base && id - base <= image->limit / sizeof(struct recorded_function) &&
         id < NOTHING / 2;
}

/* The block that is being read. */
struct function_rows {
  struct image *image;
  uint32_t first;
};

static void take_function(void *context, const void *row, uint64_t number) {
  const struct function_rows *rows = context;
  struct image *image = rows->image;
  const struct recorded_function *function = row;
  uint64_t id = rows->first + number;
  if (function->address == 0) return;
  if (!id_is_possible(image, id)) {
    image->process.truncated = 1;
    return;
  }
  enter_id(image, (uint32_t)id);
  add_function(image, (uint32_t)id, function->address, function->epoch);
}

void functions_read(struct image *image, const struct block *block) {
  struct function_rows rows = {image, block->first};
  block_rows(image, block, sizeof(struct recorded_function), take_function, &rows);
}

static uint32_t find_own(const struct image *image, uint32_t id) {
  size_t cell = id - image->process.header.function_base;
  return cell < image->function_cell_count ? image->function_cells[cell] : NOTHING;
}

static int has_id(const void *array, uint32_t index, const void *key) {
  return ((const uint32_t *)array)[index] == *(const uint32_t *)key;
}

static uint32_t find_inherited(struct image *image, uint32_t id) {
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
  add_function(image, id, address, function->epoch);
  hash_index_add(&image->inherited_functions, hash_mix(id), index);
  return index;
}

uint32_t functions_find(struct image *image, uint32_t id) {
  return id >= image->process.header.function_base ? find_own(image, id)
                                                   : find_inherited(image, id);
}
