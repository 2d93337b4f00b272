/* Lines of many source files, each file read once. */
#ifndef ASCRIBE_REPORT_SOURCE_CACHE_H
#define ASCRIBE_REPORT_SOURCE_CACHE_H

#include "report/source_lines.h"

struct cached_source;

struct source_cache {
  const struct profile *profile;
  const char *profile_path; /* as of source_lines_open */
  struct cached_source *list;
  size_t count;
};

void source_cache_open(struct source_cache *cache, const struct profile *profile,
                       const char *profile_path);
void source_cache_close(struct source_cache *cache);

/* A line of a file; null where its text is not known. */
const char *source_cache_line(struct source_cache *cache, const char *path, uint32_t line);

#endif
