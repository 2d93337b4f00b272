/* From the counters of a process to counted calls: of functions, at call sites.
 *
 * Counters know no contexts, so the calls stand beside the profile's transitions, in
 * profile->counts.  What entered a function and was at none of the call sites that are counted came
 * from code without counters: such calls have no caller. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTERS_H
#define ASCRIBE_ATTRIBUTION_COUNTERS_H

#include "attribution/counts/expressions.h"
#include "attribution/recorded/places.h"

struct counted_object;

/* All zeros, but for `places`: nothing was read yet. */
struct counter_adder {
  struct places *places;
  struct counted_object *objects; /* by object of the profile, as far as they have counters */
  size_t object_count;
  struct map object_ids;          /* object of the profile -> index in objects */
  struct map sites;               /* (caller and callee, call site) -> site of the profile */
  struct map unplaced;            /* code without an address -> function of the profile */
  struct definition *definitions; /* of functions, as the descriptions have them */
  size_t definition_count;
};

/* Add what the process counted; places_enter was called with it. Objects whose descriptions cannot
 * be read get a message. */
void counters_add(struct counter_adder *adder, const struct process_recording *process);
void counter_adder_close(struct counter_adder *adder);

#endif
