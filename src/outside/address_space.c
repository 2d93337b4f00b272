#include "outside/address_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static uint64_t generations;

void address_space_close(struct address_space *space) {
  free(space->code);
  free(space->mapped);
  free(space->objects);
  free(space->files);
  *space = (struct address_space){0};
}

static void reserve_code(struct address_space *space, size_t count) {
  ARRAY_ROOM(space->code, count);
  ARRAY_ROOM(space->mapped, count);
}

/* The object of a mapping's whole or part, from now on. */
static uint32_t add_object(struct address_space *space, const struct object_file *file,
                           uint64_t start, uint64_t end, uint64_t offset) {
  size_t index = space->object_count++;
  ARRAY_GROW(space->objects, index);
  ARRAY_GROW(space->files, index);
  struct object_entry *object = &space->objects[index];
  *object = (struct object_entry){.start = start,
                                  .end = end,
                                  .offset = offset,
                                  .loaded = space->epoch,
                                  .unloaded = UINT64_MAX,
                                  .build_id_bytes = file->build_id_bytes};
  if (file->build_id_bytes) memcpy(object->build_id, file->build_id, file->build_id_bytes);
  space->files[index] = file;
  return (uint32_t)index;
}

static struct unwind_object code_of(const struct object_file *file, uint64_t start, uint64_t end,
                                    uint64_t offset) {
  struct unwind_object code = {.start = start, .end = end};
  if (!file) return code;
  code.tables = file->tables;
  if (file->tables && unwind_tables_bias(file->tables, start, end - start, offset, &code.bias) != 0)
    code.tables = &object_no_rules;
  return code;
}

/* Put a piece of a mapping at its place in the order. */
static void insert(struct address_space *space, const struct object_file *file, uint64_t start,
                   uint64_t end, uint64_t offset) {
  uint32_t object = file ? add_object(space, file, start, end, offset) : NOTHING;
  reserve_code(space, space->count + 1);
  size_t at = 0;
  while (at < space->count && space->code[at].start < start)
    at++;
  size_t behind = space->count - at;
  memmove(space->code + at + 1, space->code + at, behind * sizeof *space->code);
  memmove(space->mapped + at + 1, space->mapped + at, behind * sizeof *space->mapped);
  space->code[at] = code_of(file, start, end, offset);
  space->mapped[at] = (struct mapped){file, object};
  space->count++;
}

static void take_out(struct address_space *space, size_t at) {
  size_t behind = --space->count - at;
  if (space->mapped[at].object != NOTHING)
    space->objects[space->mapped[at].object].unloaded = space->epoch;
  memmove(space->code + at, space->code + at + 1, behind * sizeof *space->code);
  memmove(space->mapped + at, space->mapped + at + 1, behind * sizeof *space->mapped);
}

/* What overlaps [start, end) goes, but for its parts outside of it. */
static void clear(struct address_space *space, uint64_t start, uint64_t end) {
  for (size_t i = 0; i < space->count;) {
    struct unwind_object code = space->code[i];
    struct mapped mapped = space->mapped[i];
    if (code.start >= end || code.end <= start) {
      i++;
      continue;
    }
    uint64_t offset = mapped.object == NOTHING ? 0 : space->objects[mapped.object].offset;
    take_out(space, i);
    if (code.start < start) insert(space, mapped.file, code.start, start, offset);
    if (code.end > end) insert(space, mapped.file, end, code.end, offset + (end - code.start));
    i = 0;
  }
}

static bool is_there(const struct address_space *space, const struct kernel_mapping *mapping,
                     const struct object_file *file) {
  uint32_t at = address_space_find(space, mapping->start);
  if (at == NOTHING || space->code[at].start != mapping->start ||
      space->code[at].end != mapping->end || space->mapped[at].file != file)
    return false;
  uint32_t object = space->mapped[at].object;
  return object == NOTHING || space->objects[object].offset == mapping->offset;
}

void address_space_map(struct address_space *space, const struct kernel_mapping *mapping,
                       const struct object_file *file) {
  if (mapping->start >= mapping->end || is_there(space, mapping, file)) return;
  space->epoch++;
  space->generation = ++generations;
  clear(space, mapping->start, mapping->end);
  insert(space, file, mapping->start, mapping->end, mapping->offset);
}

void address_space_copy(struct address_space *space, const struct address_space *parent) {
  *space = (struct address_space){.generation = parent->generation};
  reserve_code(space, parent->count);
  for (size_t i = 0; i < parent->count; i++) {
    struct mapped mapped = parent->mapped[i];
    if (mapped.object != NOTHING) {
      const struct object_entry *object = &parent->objects[mapped.object];
      mapped.object = add_object(space, mapped.file, object->start, object->end, object->offset);
    }
    space->code[i] = parent->code[i];
    space->mapped[i] = mapped;
    space->count++;
  }
}

uint32_t address_space_find(const struct address_space *space, uint64_t address) {
  struct unwind_objects all = {space->code, space->count};
  const struct unwind_object *found = unwind_objects_find(&all, address);
  return found ? (uint32_t)(found - space->code) : NOTHING;
}

const uint8_t *address_space_code_before(const struct address_space *space, uint64_t address,
                                         uint64_t bytes) {
  uint32_t at = address_space_find(space, address - 1);
  if (at == NOTHING || address - space->code[at].start < bytes || !space->mapped[at].file)
    return NULL;
  const struct object_file *file = space->mapped[at].file;
  const struct object_entry *object = &space->objects[space->mapped[at].object];
  uint64_t offset = address - bytes - object->start + object->offset;
  if (!file->image || offset > file->bytes || bytes > file->bytes - offset) return NULL;
  return file->image + offset;
}
