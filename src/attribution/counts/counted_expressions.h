/* From the counters of an object to the profile's expressions: how often each range of its source
 * was executed, in the optimized program. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTED_EXPRESSIONS_H
#define ASCRIBE_ATTRIBUTION_COUNTED_EXPRESSIONS_H

#include "attribution/counts/counted_origins.h"
#include "attribution/counts/counter_values.h"
#include "attribution/counts/expressions.h"

/* Add the ranges of one function, with `origins` of it. What was inlined into it belongs to the
 * function that the source has it in: all copies add up, and each has its part. */
void counted_expressions_add(struct places *places, const struct counted_code *code,
                             const struct counted_origins *origins,
                             const struct counter_values *values);

#endif
