/* How often lines of macros' text, or of their arguments, were executed where they were expanded.
 */
#ifndef ASCRIBE_ATTRIBUTION_MACRO_LINES_H
#define ASCRIBE_ATTRIBUTION_MACRO_LINES_H

#include "profile/profile.h"

struct macro_line {
  const char *file;
  uint32_t line;
  uint32_t function; /* that it was expanded in */
  uint64_t count;
};

/* All such lines, each once for a function: copies of the text add up, and in a copy the most
 * executed of the ranges that begin in the line counts. The array is the caller's. */
struct macro_line *macro_lines(const struct profile *profile, size_t *count);

#endif
