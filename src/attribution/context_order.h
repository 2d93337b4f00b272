/* The order of a profile's contexts. */
#ifndef ASCRIBE_ATTRIBUTION_CONTEXT_ORDER_H
#define ASCRIBE_ATTRIBUTION_CONTEXT_ORDER_H

#include "attribution/profile.h"

/* Sort the contexts by length, and change all ids of contexts accordingly: then a context stands
 * behind every one that its history could be an extension of. */
void contexts_order(struct profile *profile);

#endif
