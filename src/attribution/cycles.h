/* Cycles of mutual recursion that really occurred.
 *
 * A call of a function that is active, but does not run, closes a cycle: from its most recent
 * activation along the history back to it.  That is when rule A3 unmarks an entry.
 * (A history alone does not show all of them later: entries without use are squeezed out.)
 *
 * Calls of code without hooks are not counted.  Where a tick found such a cycle on its stack, it
 * stands in the history of the tick's context: from an entry without mark to the next activation
 * of its function. */
#ifndef ASCRIBE_ATTRIBUTION_CYCLES_H
#define ASCRIBE_ATTRIBUTION_CYCLES_H

#include "attribution/costs.h"

/* functions[0] -> functions[1] -> ... -> functions[0], turned so that the smallest comes first.
 * NOTHING stands for a stretch of which the history does not tell the functions. */
struct cycle {
  const uint32_t *functions;
  uint32_t length;
  uint64_t calls; /* that closed it; 0: it was seen in ticks only */
  uint64_t ticks; /* while it was on the stack; 0: its calls were counted */
};

struct cycles {
  struct cycle *list; /* most calls first, then most ticks */
  size_t count;
  uint64_t more_calls; /* calls that closed cycles beyond the most that are kept */
  size_t more_seen;    /* how often ticks found others still */
  struct pool *pool;
};

enum { MOST_CYCLES = 10000 };

struct cycles *cycles_find(const struct profile *profile, const struct selection *selection);
void cycles_free(struct cycles *cycles);

#endif
