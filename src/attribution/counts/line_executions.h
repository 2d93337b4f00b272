/* How often a line was executed. */
#ifndef ASCRIBE_ATTRIBUTION_LINE_EXECUTIONS_H
#define ASCRIBE_ATTRIBUTION_LINE_EXECUTIONS_H

#include "attribution/counts/counter_values.h"
#include "symbols/source_ranges.h"

/* Whenever control came to the line from elsewhere, and once more for each round of a loop that
 * lies on the line as a whole (gcov's definition: gcc/gcov.cc says it of its line counts).
 * Steps may also stand for what leaves the line and comes back to the same execution.
 * `flows` are those of the function.  False: it does not follow from what was counted. */
bool line_executions(const struct counted_line *line, const struct counter_flow *flows,
                     uint64_t *count);

#endif
