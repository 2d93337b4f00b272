/* What the reading of symbols is at: it can take seconds (large debug information, compressed, or
 * fetched from a debuginfod server). */
#ifndef ASCRIBE_SYMBOLS_READING_PROGRESS_H
#define ASCRIBE_SYMBOLS_READING_PROGRESS_H

#include <stddef.h>

struct symbols_progress {
  const char *path;              /* of the object; valid during the call */
  size_t units_read, unit_count; /* of its debug information; 0 of 0 while it is opened */
};

/* Have `watch` called before each step, in the thread that reads; null: no more. For the whole
 * process. */
void symbols_watch(void (*watch)(const struct symbols_progress *progress));

/* For the parts of this folder: say what comes next. */
void symbols_say_progress(const char *path, size_t units_read, size_t unit_count);

#endif
