/* Lines of regions as clang's coverage mapping has them: those of a file lie in each other or apart,
 * whatever functions they are of (a lambda's in the function around it), and between them is what
 * was skipped.
 * Source: LLVM's LineCoverageStats, as `llvm-cov show` has its lines. */
#ifndef ASCRIBE_ATTRIBUTION_REGION_LINES_H
#define ASCRIBE_ATTRIBUTION_REGION_LINES_H

#include "attribution/counts/expressions.h"

/* Only such profiles have gaps, or text that was skipped. */
bool region_lines_apply(const struct profile *profile);

/* A line was executed as often as the region that it begins in, or as that which begins in it, if
 * that is more.  The same region of several functions (instances of a template) adds up.  `ranges`
 * are all of one file, in any order; their order is changed.  `counts` are their lines, all zero. */
void region_lines_paint(const struct profile_expression **ranges, size_t count,
                        struct line_counts *counts);

#endif
