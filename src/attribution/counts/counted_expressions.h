/* From the counters of an object to the profile's expressions: how often each range of its source
 * and each line was executed, before anything was optimized. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTED_EXPRESSIONS_H
#define ASCRIBE_ATTRIBUTION_COUNTED_EXPRESSIONS_H

#include "attribution/counts/counted_origins.h"
#include "attribution/counts/counter_values.h"
#include "attribution/counts/expressions.h"

/* Add the ranges and lines of one function, with `origins` of it. Where it was inlined, its
 * counters went with it. */
void counted_expressions_add(struct places *places, const struct counted_code *code,
                             const struct counted_origins *origins,
                             const struct counter_values *values);

#endif
