/* Expressions: ranges of source text with their counts and cost. */
#ifndef ASCRIBE_ATTRIBUTION_EXPRESSIONS_H
#define ASCRIBE_ATTRIBUTION_EXPRESSIONS_H

#include "profile/profile.h"

/* A way that a condition or a switch may go, and that is known. */
bool expression_is_branch(const struct profile_expression *expression);

/* Whether both are ways of one condition, of one switch or of one loop. Of conditions whose columns
 * are not known those of a line are one. */
bool expressions_are_one_condition(const struct profile_expression *a,
                                   const struct profile_expression *b);

/* By line; those of one condition, switch or loop follow each other, cases in the order in which
 * the profile has them. All are of one file. */
void expressions_sort_ways(const struct profile_expression **ways, size_t count);

/* The innermost range of its function that each instruction lies in, or NOTHING. By instruction;
 * the array is the caller's. */
uint32_t *expressions_of_instructions(const struct profile *profile);

/* The cost of each expression's own code: each instruction's is that of the innermost range of its
 * function that it lies in. By expression; branches have none. The array is the caller's. */
struct amount *expressions_self(const struct profile *profile);

/* The files that have lines with code, sorted by name. The array is the caller's. */
const char **expressions_files(const struct profile *profile, size_t *count);

#endif
