#include "cli/told_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int told_names_add(struct told_names *told, const char *name) {
  struct told_name *names =
      array_reserve(told->names, &told->capacity, told->count + 1, sizeof *names);
  if (!names) return -1;
  told->names = names;
  char *copy = strdup(name);
  if (!copy) return -1;
  names[told->count++] = (struct told_name){.name = copy};
  return 0;
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

int told_names_end(struct told_names *told) {
  if (!told->count) return 0;
  take_together(told);
  const char **names = malloc(told->count * sizeof *names);
  struct name_part *telling = malloc(told->count * sizeof *telling);
  int result = names && telling ? 0 : -1;
  for (size_t i = 0; result == 0 && i < told->count; i++)
    names[i] = told->names[i].name;
  if (result == 0) result = names_tell(names, told->count, telling);
  for (size_t i = 0; result == 0 && i < told->count; i++)
    told->names[i].telling = telling[i];
  free(names);
  free(telling);
  return result;
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
