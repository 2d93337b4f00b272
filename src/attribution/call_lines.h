/* Time of calls by the line that the call stands on: a call is active while what it called runs,
 * and each tick counts once for it.  Of sampled stacks, which know the lines of calls; two calls of
 * one function on one line are one here.  As with arcs, of mutual recursion the most recent calls
 * count (Spivey, "Fast, accurate call graph profiling", "Presenting the results"). */
#ifndef ASCRIBE_ATTRIBUTION_CALL_LINES_H
#define ASCRIBE_ATTRIBUTION_CALL_LINES_H

#include <stdbool.h>

#include "profile/profile.h"

struct call_line {
  uint32_t line;   /* of the profile; its function is the one that calls */
  uint32_t callee; /* may be inlined there */
  struct amount total;
};

struct call_lines {
  bool known; /* the stacks of all ticks are */
  struct call_line *list;
  size_t count;
  uint32_t *of_site; /* by call site: where in the list its time is, or NOTHING: no tick fell */
};

/* In the contexts of `selected` (costs_select). To be freed with call_lines_free. */
struct call_lines *call_lines_find(const struct profile *profile, const bool *selected);
void call_lines_free(struct call_lines *lines);

/* The function whose text the site stands in: the innermost one that was inlined there. */
uint32_t call_lines_text(const struct profile *profile, const struct profile_site *site);

#endif
