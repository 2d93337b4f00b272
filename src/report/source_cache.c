#include "report/source_cache.h"

#include <stdlib.h>
#include <string.h>

struct cached_source {
  char *path; /* a copy: symbol files, whose paths are asked for, come and go */
  struct source_lines lines;
};

void source_cache_open(struct source_cache *cache, const struct profile *profile,
                       const char *profile_path) {
  *cache = (struct source_cache){.profile = profile, .profile_path = profile_path};
}

void source_cache_close(struct source_cache *cache) {
  for (size_t i = 0; i < cache->count; i++) {
    source_lines_close(&cache->list[i].lines);
    free(cache->list[i].path);
  }
  free(cache->list);
}

const char *source_cache_line(struct source_cache *cache, const char *path, uint32_t line) {
  for (size_t i = 0; i < cache->count; i++)
    if (strcmp(cache->list[i].path, path) == 0) return source_line(&cache->list[i].lines, line);
  ARRAY_GROW(cache->list, cache->count);
  struct cached_source *added = &cache->list[cache->count++];
  *added = (struct cached_source){.path = memory_text(path)};
  source_lines_open(cache->profile, cache->profile_path, path, &added->lines, NULL);
  return source_line(&added->lines, line);
}
