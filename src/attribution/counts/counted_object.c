#include "attribution/counts/counted_object.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/count_before.h"

void counted_object_say(struct profile *profile, uint32_t object, const char *what) {
  char text[1200];
  snprintf(text, sizeof text, "%s: %s", profile->objects[object].path, what);
  profile->objects[object].message = pool_string(profile->pool, text);
}

#define NOT_KNOWN                                                                                  \
  ": what its counters counted is not known; build it with ascribe cc again, without stripping "   \
  "it, or put its debug file where it is found"

static uint64_t cell_address(const struct counted_code *code, const struct counted_point *point) {
  return code->unit->counters + point->cell * sizeof(uint64_t);
}

static void find_cells(struct counted_object *object) {
  for (uint32_t i = 0; i < object->list.count; i++) {
    const struct counted_code *code = &object->list.code[i];
    for (uint32_t point = 0; point < code->point_count; point++)
      if (code->points[point].kind == POINT_INDIRECT)
        map_find_or_add(&object->cells, cell_address(code, &code->points[point]), 0, i);
  }
}

static const char *why_not(int error) {
  switch (error) {
  case COUNTED_CODE_NONE:
    return "its counter descriptions are missing (" COUNTER_POINTS_SECTION ")" NOT_KNOWN;
  case COUNTED_CODE_VERSION:
    return "its counter descriptions were written by another version of ascribe cc: what they "
           "counted is not known; build it with this one's";
  case COUNTED_CODE_PACKED:
    return "its counter descriptions use a compression that cannot be read here: what they counted "
           "is not known; undo it with objcopy --decompress-debug-sections";
  default:
    return "its counter descriptions are damaged" NOT_KNOWN;
  }
}

void counted_object_read(struct places *places, uint32_t object, struct counted_object *made) {
  struct profile *profile = places->profile;
  struct symbol_file *file = places->files[object];
  *made = (struct counted_object){0};
  int error = symbol_file_counted_code(file, &made->list);
  if (error < 0) {
    counted_object_say(profile, object, why_not(error));
    return;
  }
  linkage_read(file, &made->linkage);
  find_cells(made);
}

void counted_object_free(struct counted_object *object) {
  counted_code_free(&object->list);
  linkage_free(&object->linkage);
  map_free(&object->cells);
}

/* ---- calls through pointers ---- */

const struct counted_code *counted_object_site(const struct counted_object *object,
                                               uint64_t address, uint32_t *number) {
  size_t low = COUNT_BEFORE(object->list.count, i, object->list.code[i].address <= address);
  if (!low) return NULL;
  uint64_t start = object->list.code[low - 1].address;
  while (low > 1 && object->list.code[low - 2].address == start)
    low--;
  const struct counted_code *code = &object->list.code[low - 1];
  uint64_t left = address - code->address;
  for (uint32_t i = 0; i < code->point_count; i++)
    if (code->points[i].kind == POINT_INDIRECT && left-- == 0) {
      *number = i;
      return code;
    }
  return NULL;
}

const struct counted_code *counted_object_cell(const struct counted_object *object, uint64_t cell,
                                               uint32_t *number) {
  uint32_t index = map_find(&object->cells, cell, 0);
  if (index == UINT32_MAX) return NULL;
  const struct counted_code *code = &object->list.code[index];
  for (uint32_t point = 0; point < code->point_count; point++)
    if (code->points[point].kind == POINT_INDIRECT &&
        cell_address(code, &code->points[point]) == cell) {
      *number = point;
      return code;
    }
  return NULL;
}
