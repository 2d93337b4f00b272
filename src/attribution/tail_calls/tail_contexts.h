/* Where contexts go when missing functions are put into them. */
#ifndef ASCRIBE_ATTRIBUTION_TAIL_CONTEXTS_H
#define ASCRIBE_ATTRIBUTION_TAIL_CONTEXTS_H

#include "attribution/tail_calls/tail_missing.h"
#include "profile/context_table.h"

/* By context: the one it becomes, itself where nothing is missing; new ones are added to the
 * profile.  Chains that cannot be put in without contradiction are taken out of `missing`: all
 * ways into a context have to lead to the same one, by the rules A1 to A5.
 * The array has an entry for each context that the profile had before; it is the caller's. */
uint32_t *tail_contexts_map(struct context_table *table, struct tail_missing *missing);

/* The context after the functions of a chain were called from `from`, one by another. */
uint32_t tail_contexts_after(struct context_table *table, uint32_t from,
                             const struct tail_chain *chain);

#endif
