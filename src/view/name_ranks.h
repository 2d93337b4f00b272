/* The order of names, as numbers: rows are sorted by a name without its text. */
#ifndef ASCRIBE_VIEW_NAME_RANKS_H
#define ASCRIBE_VIEW_NAME_RANKS_H

#include <math.h>

#include "view/naming.h"

struct name_ranks {
  double *of; /* by id; NaN: there is no such id */
  size_t size;
  double none; /* of a function that is not known, "<spontaneous>"; of files NaN */
};

static inline double name_rank(const struct name_ranks *ranks, double id) {
  if (isnan(id)) return ranks->none;
  return id >= 0 && id < (double)ranks->size ? ranks->of[(size_t)id] : NAN;
}

/* Ranks the names of all `profiles`, 1 or 2, in one order: ranks[i] belong to profiles[i]. 0, or
 * -1 with the reason; to be freed with name_ranks_free, also after a failure. */
int name_ranks_read(struct workspace *workspace, const size_t *profiles, size_t count,
                    enum naming naming, struct name_ranks *ranks, struct error *error);
void name_ranks_free(struct name_ranks *ranks);

#endif
