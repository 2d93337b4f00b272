#include "symbols/allocation_types.h"

#include <stdlib.h>
#include <string.h>

#include "ascribe/allocation_strings.h"
#include "base/base_name.h"
#include "base/begins.h"
#include "base/memory.h"
#include "symbols/demangle.h"
#include "symbols/plugin_sections.h"
#include "symbols/symbol_file.h"

/* ---- reading ---- */

static uint32_t number(const char *text) {
  unsigned long value = strtoul(text, NULL, 10);
  return value < UINT32_MAX ? (uint32_t)value : 0;
}

/* Cuts a string into its fields. */
static bool cut(char *string, const char *fields[ALLOCATION_FIELDS]) {
  if (*string++ != ALLOCATION_BEGINS) return false;
  for (int i = 0; i < ALLOCATION_FIELDS; i++) {
    char *end = strchr(string, ALLOCATION_ENDS_FIELD);
    bool is_last = i + 1 == ALLOCATION_FIELDS;
    if (!end != is_last) return false;
    fields[i] = string;
    if (is_last) break;
    *end = '\0';
    string = end + 1;
  }
  return true;
}

static void add(struct allocation_types *types, char *string) {
  const char *fields[ALLOCATION_FIELDS];
  if (!cut(string, fields)) return;
  struct allocation_place place = {
      .line = number(fields[ALLOCATION_LINE]),
      .column = number(fields[ALLOCATION_COLUMN]),
      .file = fields[ALLOCATION_FILE],
      .function = fields[ALLOCATION_FUNCTION],
      .by_allocator = strcmp(fields[ALLOCATION_CALLEE], ALLOCATION_BY_ALLOCATOR) == 0,
      .type = fields[ALLOCATION_TYPE]};
  ARRAY_GROW(types->places, types->count);
  types->places[types->count++] = place;
}

static int by_line(const void *left, const void *right) {
  const struct allocation_place *a = left, *b = right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  return (a->column > b->column) - (a->column < b->column);
}

void allocation_types_read(const void *bytes, size_t count, struct allocation_types *types) {
  *types = (struct allocation_types){.text = memory_resized(NULL, count + 1, 1)};
  memcpy(types->text, bytes, count);
  types->text[count] = '\0';
  for (size_t at = 0, next; at < count; at = next) {
    next = at + strlen(types->text + at) + 1;
    add(types, types->text + at);
  }
  if (types->count) qsort(types->places, types->count, sizeof *types->places, by_line);
}

void allocation_types_free(struct allocation_types *types) {
  free(types->text);
  free(types->places);
  *types = (struct allocation_types){0};
}

void symbol_file_allocations(struct symbol_file *file, struct allocation_types *types) {
  static const char *const names[] = {ALLOCATION_TYPES_SECTION, ".zdebug.ascribe_types", NULL};
  const void *bytes;
  size_t count;
  *types = (struct allocation_types){0};
  if (symbol_file_plugin_section(file, names, &bytes, &count) == 0)
    allocation_types_read(bytes, count, types);
}

/* ---- asking ---- */

static size_t first_at(const struct allocation_types *types, struct allocation_place place) {
  size_t low = 0, high = types->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (by_line(&types->places[middle], &place) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* What only its unit can see may have no linkage name where it was inlined. */
static bool is_of(const struct allocation_place *place, const struct allocation_asked *asked) {
  char *name = demangle(place->function);
  bool same = strcmp(name, asked->function) == 0;
  free(name);
  if (same || !begins(place->function, "_Z")) return same;
  bool has_name = asked->linkage && begins(asked->linkage, "_Z");
  return !has_name && counted_name_may_be(place->function, asked->function);
}

const struct allocation_place *allocation_types_find(const struct allocation_types *types,
                                                     const struct allocation_asked *asked) {
  struct allocation_place at = {.line = asked->line, .column = asked->column};
  const struct allocation_place *found = NULL;
  for (size_t i = first_at(types, at); i < types->count; i++) {
    const struct allocation_place *place = &types->places[i];
    if (by_line(place, &at) != 0) break;
    if (strcmp(place->file, base_name(asked->file)) != 0 || !is_of(place, asked)) continue;
    if (!found) found = place;
    if (strcmp(found->type, place->type) != 0 || found->by_allocator != place->by_allocator)
      return NULL;
  }
  return found;
}

char *allocation_type_name(const struct allocation_place *place) {
  static const char word[] = "typeinfo name for ";
  if (!begins(place->type, "_ZTS")) return memory_printed("%s", place->type);
  char *name = demangle(place->type);
  char *type = begins(name, word) ? memory_printed("%s", name + strlen(word)) : NULL;
  free(name);
  return type;
}
