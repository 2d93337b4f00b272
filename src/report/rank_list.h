/* Ranks of a parallel job side by side. */
#ifndef ASCRIBE_REPORT_RANK_LIST_H
#define ASCRIBE_REPORT_RANK_LIST_H

#include "attribution/run_costs.h"
#include "report/listing.h"

/* Which ranks spend their time alike, and how nodes share the ranks. `order`: runs by job and
 * number of their rank. */
void listing_rank_groups(const struct listing *listing, const struct run_rank *ranks,
                         const uint32_t *order);
void listing_nodes(const struct listing *listing, const struct run_rank *ranks,
                   const uint32_t *order);

#endif
