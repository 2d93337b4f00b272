/* Objects with hooks of which nothing was counted: which, and why it may be. */
#ifndef ASCRIBE_ATTRIBUTION_UNCOUNTED_H
#define ASCRIBE_ATTRIBUTION_UNCOUNTED_H

#include "attribution/recorded/places.h"

/* Look into each object of the recording in which no function was entered, once, and set
 * `uncounted` of those that have hooks, in places->profile; they are added to it where no tick
 * fell into them.  Leaves `places` at the last process. */
void uncounted_find(struct places *places, const struct recording *recording);

#endif
