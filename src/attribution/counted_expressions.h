/* From the counters of an object to the profile's expressions: how often each range of its source
 * was executed, in the optimized program. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTED_EXPRESSIONS_H
#define ASCRIBE_ATTRIBUTION_COUNTED_EXPRESSIONS_H

#include "attribution/counter_values.h"
#include "attribution/expressions.h"
#include "attribution/places.h"

/* Add the ranges of one function, `function` of the profile, of the profile's object `object`. What
 * was inlined into it belongs to the function that the source has it in: all copies add up. */
void counted_expressions_add(struct places *places, uint32_t object, uint32_t function,
                             const struct counted_code *code, const struct counter_values *values,
                             struct expression_table *table);

/* The path of a file that `code` names, in the profile's pool; null: none. */
const char *counted_path(struct places *places, const struct counted_code *code, uint32_t name);

#endif
