/* Which of many differences are more than chance.
 * Source: Benjamini and Hochberg, "Controlling the false discovery rate" (1995). */
#ifndef ASCRIBE_COMPARE_JUDGEMENT_H
#define ASCRIBE_COMPARE_JUDGEMENT_H

#include <stdbool.h>

#include "compare/pair_values.h"

/* Decide stands_out, failed and judged_together, of pairs whose values are there, as is the neutral
 * one. Where chance can have a part in it they are judged together: of those that are claimed, 5 %
 * are false on average, and if nothing has changed, one or more are claimed in 5 % of all
 * comparisons. Exact values stand out if they are not the neutral one. */
int judge_all(struct pair_values *values, struct compared *compared, bool condition);

#endif
