/* How figures vary over runs or ranks, as columns; and of lines and contexts, as lists. */
#ifndef ASCRIBE_REPORT_SPREAD_LIST_H
#define ASCRIBE_REPORT_SPREAD_LIST_H

#include "attribution/run_costs.h"
#include "attribution/run_spread.h"
#include "report/listing.h"

/* The number of a run; with `ranks`, of the rank. */
void spread_number_of(const struct listing *listing, const struct run_rank *ranks, uint32_t run);

/* Mean, deviation, least and most. The mark says that sampling does not explain the difference. */
void spread_print(const struct listing *listing, const struct run_spread *spread);
void spread_print_imbalance(const struct listing *listing, const struct imbalance *imbalance);

/* Those that differ by more than sampling explains. `ranks`: of those; null: of runs. */
void listing_spreads(const struct listing *listing, const struct run_rank *ranks,
                     enum spread_of of);

#endif
