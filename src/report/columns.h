/* Columns of figures: those that say something, as wide as there is room for. */
#ifndef ASCRIBE_REPORT_COLUMNS_H
#define ASCRIBE_REPORT_COLUMNS_H

#include "report/listing.h"

void columns_choose(struct listing *listing);

/* The heading of a time and of its uncertainty, above and below. */
void column_heading(const struct listing *listing, const char *name);
void column_units(const struct listing *listing);
void column_unit(const struct listing *listing); /* in one line */

/* A time with its uncertainty; one that follows from the ratio of calls; "-" where it is not known;
 * nothing. */
void column_estimate(const struct listing *listing, struct estimate estimate);
void column_by_ratio(const struct listing *listing, uint64_t ns);
void column_unknown(const struct listing *listing);
void column_blank(const struct listing *listing);

/* How wide each of these is. */
int column_width(const struct listing *listing);

/* Shares of the whole, self and total (null: not known), and their headings. */
enum { SHARE_WIDTH = 6, SHARES_WIDTH = 13 };
void column_shares(const struct listing *listing, uint64_t self_ns, const uint64_t *total_ns,
                   uint64_t whole_ns);
void column_shares_heading(const struct listing *listing);
void column_shares_units(const struct listing *listing);

#endif
