/* Where most of the time was spent, in a few lines: the program's own functions, those with the
 * most self and those with the most total time, then libraries and the kernel. */
#ifndef ASCRIBE_REPORT_SUMMARY_TOP_H
#define ASCRIBE_REPORT_SUMMARY_TOP_H

#include "report/listing.h"

/* The listing is of a width: names are shortened to it. */
void summary_top(const struct listing *listing);

#endif
