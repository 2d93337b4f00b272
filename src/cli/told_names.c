#include "cli/told_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void told_names_add(struct told_names *told, const char *name) {
  ARRAY_GROW(told->names, told->count);
  told->names[told->count++] = (struct told_name){.name = memory_text(name)};
}

static int compare(const void *left, const void *right) {
  const struct told_name *a = left, *b = right;
  return strcmp(a->name, b->name);
}

static void take_together(struct told_names *told) {
  size_t used = 0;
  qsort(told->names, told->count, sizeof *told->names, compare);
  for (size_t i = 0; i < told->count; i++) {
    if (used && strcmp(told->names[used - 1].name, told->names[i].name) == 0) {
      told->names[used - 1].shared = true;
      free(told->names[i].name);
    } else {
      told->names[used++] = told->names[i];
    }
  }
  told->count = used;
}

void told_names_end(struct told_names *told) {
  if (!told->count) return;
  take_together(told);
  const char **names = memory_resized(NULL, told->count, sizeof *names);
  struct name_part *telling = memory_resized(NULL, told->count, sizeof *telling);
  for (size_t i = 0; i < told->count; i++)
    names[i] = told->names[i].name;
  names_tell(names, told->count, telling);
  for (size_t i = 0; i < told->count; i++)
    told->names[i].telling = telling[i];
  free(names);
  free(telling);
}

const struct told_name *told_names_find(const struct told_names *told, const char *name) {
  struct told_name key = {.name = (char *)name};
  return told->count ? bsearch(&key, told->names, told->count, sizeof key, compare) : NULL;
}

void told_names_free(struct told_names *told) {
  for (size_t i = 0; i < told->count; i++)
    free(told->names[i].name);
  free(told->names);
  *told = (struct told_names){0};
}
