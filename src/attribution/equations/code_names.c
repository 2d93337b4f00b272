#include "attribution/equations/code_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "symbols/demangle.h"

const char *code_base_name(struct pool *pool, const char *linkage) {
  char text[4096];
  size_t length = demangle_base_length(linkage);
  if (length >= sizeof text) return NULL;
  memcpy(text, linkage, length);
  text[length] = '\0';
  return pool_string(pool, text);
}

void code_names_open(struct code_names *names, const struct profile *profile) {
  *names = (struct code_names){.profile = profile};
  for (uint32_t i = 0; i < profile->function_count; i++) {
    const char *linkage = profile->functions[i].linkage;
    const char *name = linkage ? code_base_name(profile->pool, linkage) : NULL;
    for (uint64_t n = 0; name; n++)
      if (map_find_or_add(&names->functions, (uintptr_t)name, n, i) == i) break;
  }
}

void code_names_close(struct code_names *names) {
  map_free(&names->functions);
}

bool same_file_name(const char *a, const char *b) {
  return a && b && strcmp(base_name(a), base_name(b)) == 0;
}

static bool is_same_to_user(const char *a, const char *b) {
  char *one = demangle_in_full(a), *other = demangle_in_full(b);
  bool same = one && other && strcmp(one, other) == 0;
  free(one);
  free(other);
  return same;
}

/* The name with "1" for "2" and "2" for "1" wherever the name for the user stays as it is: the end
 * of a type "C2" does not. Null: it has no variants. */
static const char *other_variant(struct pool *pool, const char *linkage) {
  char text[4096];
  size_t length = strlen(linkage);
  bool found = false;
  if (length >= sizeof text) return NULL;
  memcpy(text, linkage, length + 1);
  for (size_t at = 0; (at = demangle_variant(text, at)) != 0;) {
    char digit = text[at];
    text[at] = digit == '1' ? '2' : '1';
    if (is_same_to_user(linkage, text))
      found = true;
    else
      text[at] = digit;
  }
  return found ? pool_string(pool, text) : NULL;
}

bool code_names_are_variants(const char *a, const char *b) {
  return demangle_variant(a, 0) && strcmp(a, b) != 0 && is_same_to_user(a, b);
}

uint32_t code_names_find(const struct code_names *names, const struct symbol *symbol) {
  struct pool *pool = names->profile->pool;
  const char *name = symbol->linkage ? code_base_name(pool, symbol->linkage) : NULL;
  if (name && map_find(&names->functions, (uintptr_t)name, 0) == NOTHING &&
      demangle_variant(name, 0))
    name = other_variant(pool, name);
  uint32_t found = NOTHING, in_line = NOTHING;
  size_t candidates = 0, lines = 0;
  for (uint64_t n = 0; name; n++) {
    uint32_t id = map_find(&names->functions, (uintptr_t)name, n);
    if (id == NOTHING) break;
    const struct profile_function *function = &names->profile->functions[id];
    if (symbol->file && function->file && !same_file_name(symbol->file, function->file)) continue;
    found = id;
    candidates++;
    if (!symbol->line || function->line != symbol->line) continue;
    in_line = id;
    lines++;
  }
  if (candidates == 1) return found;
  return lines == 1 ? in_line : NOTHING;
}
