/* The text of a source file, line by line. */
#ifndef ASCRIBE_REPORT_SOURCE_LINES_H
#define ASCRIBE_REPORT_SOURCE_LINES_H

#include "report/report.h"
#include "store/store.h"

struct source_lines {
  struct source_copy copy;
  char **lines; /* [0] is line 1; without the ends of lines */
  uint32_t count;
  bool from_disk; /* as it is now; else as the profile keeps it */
};

/* The text of `path` out of the saved profile `profile_path`; null: out of the file on disk, for a
 * profile that is not saved. A file without text has no lines. Returns 0, or -1 where the profile
 * cannot be read; *lines is to be freed with source_lines_close after 0. */
int source_lines_open(const struct profile *profile, const char *profile_path, const char *path,
                      struct source_lines *lines, struct error *error);
void source_lines_close(struct source_lines *lines);

/* A line, or null where the file has no such line. */
const char *source_line(const struct source_lines *lines, uint32_t number);

/* The last line of the function that is defined at line `start` and has code on line `last`: where
 * the bracket of its body closes, as text is usually indented; `last` if that is not found.
 */
uint32_t source_function_end(const struct source_lines *lines, uint32_t start, uint32_t last);

#endif
