#include "attribution/equations/code_names.h"

#include <string.h>

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

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool same_file_name(const char *a, const char *b) {
  return a && b && strcmp(file_name(a), file_name(b)) == 0;
}

uint32_t code_names_find(const struct code_names *names, const struct symbol *symbol) {
  const char *name = symbol->linkage ? code_base_name(names->profile->pool, symbol->linkage) : NULL;
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
