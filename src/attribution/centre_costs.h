/* Costs of cost centres, computed as those of functions are (costs.h). */
#ifndef ASCRIBE_ATTRIBUTION_CENTRE_COSTS_H
#define ASCRIBE_ATTRIBUTION_CENTRE_COSTS_H

#include "attribution/costs.h"

/* Cost of one function while one centre was the innermost. */
struct centre_function {
  uint32_t centre;   /* NOTHING: in none */
  uint32_t function; /* that ran; NOTHING: none */
  struct amount self;
};

struct centre_costs {
  struct profile view; /* its functions are the centres, its contexts theirs: not to be freed */
  struct costs *costs; /* of `view`: by centre; entries are calls */
  struct amount *self; /* by context of `view` */
  struct centre_function *functions; /* each pair once, in the order of ticks */
  size_t function_count;
  struct amount outside; /* in no centre */
};

/* Costs in the metric that the profile is a view of; selection as in costs_compute. With a focus
 * the entries are unknown. Free it with centre_costs_free; the profile must outlive it. */
struct centre_costs *centre_costs_make(const struct profile *profile,
                                       const struct selection *selection);
void centre_costs_free(struct centre_costs *costs);

#endif
