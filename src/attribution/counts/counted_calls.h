/* Calls that the counters of a process tell, at their call sites. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTED_CALLS_H
#define ASCRIBE_ATTRIBUTION_COUNTED_CALLS_H

#include "attribution/counts/counting.h"

/* Adds all of them to profile->counts, and the call sites to profile->sites. */
void counted_calls_add(struct counting *counting);

#endif
