#include "exchange/gmon_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count_before.h"
#include "base/hash_index.h"
#include "base/map.h"
#include "base/memory.h"
#include "symbols/demangle.h"

static const char *keep(struct gmon_places *places, const char *text) {
  return arena_text(&places->arena, text, strlen(text));
}

/* Clones of a function are functions of their own here, and named so. The result may be `linkage`,
 * which lives as long as the symbols. */
static const char *shown_name(struct gmon_places *places, const char *linkage, bool demangled) {
  bool mangled = linkage[0] == '_' && (linkage[1] == 'Z' || linkage[1] == 'R');
  if (!demangled || !mangled) return linkage;
  char *name = demangle_in_full(linkage);
  const char *clone = linkage + demangle_base_length(linkage);
  const char *kept;
  if (strncmp(name, linkage, strlen(name)) == 0) {
    kept = keep(places, linkage);
  } else if (*clone) {
    char *longer = memory_printed("%s [clone %s]", name, clone);
    kept = keep(places, longer);
    free(longer);
  } else {
    kept = keep(places, name);
  }
  free(name);
  return kept;
}

static struct gmon_place *add(struct gmon_places *places, struct gmon_place place) {
  ARRAY_GROW(places->list, places->count);
  place.whole = (uint32_t)places->count;
  places->list[places->count] = place;
  return &places->list[places->count++];
}

static uint64_t end_of(const struct text_symbols *symbols, size_t index) {
  return index + 1 < symbols->count ? symbols->list[index + 1].address
                                    : symbols->list[index].section_end;
}

static struct gmon_place function_place(struct gmon_places *places,
                                        const struct text_symbols *symbols, size_t index,
                                        bool demangled) {
  const struct text_symbol *symbol = &symbols->list[index];
  return (struct gmon_place){.address = symbol->address,
                             .end = end_of(symbols, index),
                             .function = shown_name(places, symbol->linkage, demangled),
                             .linkage = symbol->linkage,
                             .file = symbol->file,
                             .local = symbol->local,
                             .entry = true};
}

/* By name and file: what only its file knows is of that file. */
static uint32_t find_named(const struct map *named, const char *name, const char *file) {
  uint32_t found = file ? map_find(named, hash_text(name), hash_text(file)) : UINT32_MAX;
  return found != UINT32_MAX ? found : map_find(named, hash_text(name), 0);
}

static bool has_pieces(const struct text_symbols *symbols) {
  for (size_t i = 0; i < symbols->count; i++)
    if (text_symbol_whole(&symbols->list[i])) return true;
  return false;
}

/* Code that compilers moved away from its function is that function's. */
static void find_wholes(const struct text_symbols *symbols, struct gmon_places *places) {
  struct map named = {0};
  if (!has_pieces(symbols)) return;
  for (size_t i = 0; i < symbols->count; i++) {
    const struct text_symbol *symbol = &symbols->list[i];
    uint64_t file = symbol->file ? hash_text(symbol->file) : 0;
    map_find_or_add(&named, hash_text(symbol->linkage), file, (uint32_t)i);
  }
  for (size_t i = 0; i < symbols->count; i++) {
    size_t length = text_symbol_whole(&symbols->list[i]);
    if (!length) continue;
    char *name = memory_text_part(symbols->list[i].linkage, length);
    uint32_t whole = find_named(&named, name, symbols->list[i].file);
    if (whole != UINT32_MAX) places->list[i].whole = whole;
    free(name);
  }
  map_free(&named);
}

void gmon_places_of_functions(const struct text_symbols *symbols, bool demangled,
                              struct gmon_places *places) {
  for (size_t i = 0; i < symbols->count; i++)
    add(places, function_place(places, symbols, i, demangled));
  find_wholes(symbols, places);
}

/* ---- lines ---- */

static bool same_line(const struct gmon_place *place, const struct source_position *position) {
  return position->line == place->line && position->file && place->file &&
         strcmp(position->file, place->file) == 0;
}

/* Cut the code of the function that was added last where its line changes. */
static void cut_lines(struct gmon_places *places, struct symbol_file *file, uint64_t code_end) {
  struct gmon_place whole = places->list[places->count - 1];
  for (uint64_t at = whole.address; at < code_end; at++) {
    struct gmon_place *last = &places->list[places->count - 1];
    struct source_position position;
    if (symbol_file_line(file, at, &position) != 0 || !position.line || same_line(last, &position))
      continue;
    if (at == whole.address) {
      last->file = position.file;
      last->line = position.line;
      continue;
    }
    last->end = at;
    whole.address = at;
    whole.file = position.file;
    whole.line = position.line;
    whole.entry = false;
    add(places, whole);
  }
}

void gmon_places_of_lines(const struct text_symbols *symbols, struct symbol_file *file,
                          bool demangled, struct gmon_places *places) {
  for (size_t i = 0; i < symbols->count; i++) {
    uint64_t end = end_of(symbols, i), section_end = symbols->list[i].section_end;
    add(places, function_place(places, symbols, i, demangled));
    cut_lines(places, file, end < section_end ? end : section_end);
  }
}

void gmon_places_locate(struct gmon_places *places, struct symbol_file *file) {
  for (size_t i = 0; i < places->count; i++) {
    struct gmon_place *place = &places->list[i];
    struct source_position position;
    if (place->line || symbol_file_line(file, place->address, &position) != 0 || !position.line)
      continue;
    place->file = position.file;
    place->line = position.line;
  }
}

void gmon_places_free(struct gmon_places *places) {
  free(places->list);
  arena_free(&places->arena);
  *places = (struct gmon_places){0};
}

size_t gmon_place_at(const struct gmon_places *places, uint64_t address) {
  size_t low = COUNT_BEFORE(places->count, i, places->list[i].address <= address);
  return low && address < places->list[low - 1].end ? low - 1 : SIZE_MAX;
}

/* ---- names ---- */

/* A path, or the end of one. */
static bool is_file(const char *path, const char *name, size_t length) {
  size_t bytes = path ? strlen(path) : 0;
  if (bytes < length || memcmp(path + bytes - length, name, length) != 0) return false;
  return bytes == length || path[bytes - length - 1] == '/';
}

/* As it is shown, or that without its parameters. */
static bool is_function(const char *shown, const char *name) {
  size_t length = strlen(name);
  return strncmp(shown, name, length) == 0 &&
         (!shown[length] || shown[length] == '(' || shown[length] == '[');
}

static bool is_named(const struct gmon_place *place, const char *name) {
  return is_function(place->function, name) || strcmp(place->linkage, name) == 0;
}

/* The colon between a file and what is in it; those of C++ come in pairs. */
const char *gmon_name_file_end(const char *name) {
  for (const char *at = name; (at = strchr(at, ':')); at += 2)
    if (at[1] != ':') return at;
  return NULL;
}

static bool is_line(const struct gmon_place *place, const char *text) {
  char *end;
  unsigned long line = strtoul(text, &end, 10);
  return *text && !*end && place->line == line;
}

bool gmon_place_is(const struct gmon_place *place, const char *name) {
  const char *colon = gmon_name_file_end(name);
  if (is_named(place, name)) return true;
  if (!colon) return is_file(place->file, name, strlen(name));
  return is_file(place->file, name, (size_t)(colon - name)) &&
         (is_named(place, colon + 1) || is_line(place, colon + 1));
}
