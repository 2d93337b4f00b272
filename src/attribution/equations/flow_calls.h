/* The possible calls of a higher-order program, whose host wrote its core forms into the recording
 * (flow/core_forms.h): the equations of its flow graph.
 * Source: Waddell and Ashley, "Visualizing the performance of higher-order programs", section 4. */
#ifndef ASCRIBE_ATTRIBUTION_FLOW_CALLS_H
#define ASCRIBE_ATTRIBUTION_FLOW_CALLS_H

#include "attribution/recorded/places.h"

/* Add call sites, call places and possible calls of the process that `places` has entered, with one
 * count for each function whose callers they explain: its entries, at any of its sites, until
 * possible_calls_solve distributes them.  `explained` gets the ids of these functions.
 *
 * A host that counts calls in their contexts writes no core forms: they are known.  Calls that were
 * never executed are left out, and what may have been called from code that nobody sees has the
 * first call place as a caller. */
void flow_calls_add(struct places *places, const struct process_recording *process,
                    struct map *explained);

#endif
