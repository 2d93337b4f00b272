/* Cycles of mutual recursion that really occurred.
 *
 * A call of a function that is active, but does not run, closes a cycle: from its most recent
 * activation along the history back to it.  That is when rule A3 unmarks an entry.
 * (A history alone does not show all of them later: entries without use are squeezed out.) */
#ifndef ASCRIBE_ATTRIBUTION_CYCLES_H
#define ASCRIBE_ATTRIBUTION_CYCLES_H

#include "attribution/costs.h"

/* functions[0] -> functions[1] -> ... -> functions[0], turned so that the smallest comes first.
 * NOTHING stands for a stretch of which the history does not tell the functions. */
struct cycle {
  const uint32_t *functions;
  uint32_t length;
  uint64_t calls; /* that closed it */
};

struct cycles {
  struct cycle *list; /* most calls first */
  size_t count;
  uint64_t more_calls; /* calls that closed cycles beyond the most that are kept */
  struct pool *pool;
};

enum { MOST_CYCLES = 10000 };

struct cycles *cycles_find(const struct profile *profile, const struct selection *selection);
void cycles_free(struct cycles *cycles);

#endif
