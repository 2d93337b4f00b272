/* Total time of groups of lines: a group is active while one of its lines runs or has called, and
 * each tick counts once for it, however many of its lines are active.  So no total exceeds the
 * whole, and recursion adds nothing up. */
#ifndef ASCRIBE_ATTRIBUTION_LINE_GROUPS_H
#define ASCRIBE_ATTRIBUTION_LINE_GROUPS_H

#include <stdbool.h>

#include "profile/profile.h"

/* Totals by group, in the contexts of `selected` (costs_select). `group` is by line: its group, or
 * NOTHING; null: each line is a group. Null if the profile does not know the stacks of all ticks.
 * The array is the caller's. */
struct amount *line_group_totals(const struct profile *profile, const bool *selected,
                                 const uint32_t *group, size_t group_count);

#endif
