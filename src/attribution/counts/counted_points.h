/* From the counters of a language host's points to a profile: calls of its functions, and how often
 * each range of their source was executed. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTED_POINTS_H
#define ASCRIBE_ATTRIBUTION_COUNTED_POINTS_H

#include "attribution/recorded/places.h"

/* Add what the process counted; places_enter was called with it. A function that was entered in the
 * process has its calls by contexts, and its counter says only how often its text was executed. */
void counted_points_add(struct places *places, const struct process_recording *process);

#endif
