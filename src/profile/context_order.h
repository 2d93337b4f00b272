/* The ids of a profile's contexts, and their order. */
#ifndef ASCRIBE_PROFILE_CONTEXT_ORDER_H
#define ASCRIBE_PROFILE_CONTEXT_ORDER_H

#include "profile/profile.h"

/* Sort the contexts, those of cost centres too, by length, and change all ids of contexts
 * accordingly: then a context stands behind every one that its history could be an extension of. */
void contexts_order(struct profile *profile);

/* Replace the ids of contexts, old by ids[old]: in ticks, waits and threads; in transitions too. */
void contexts_move_ticks(struct profile *profile, const uint32_t *ids);
void contexts_renumber(struct profile *profile, const uint32_t *ids);

#endif
