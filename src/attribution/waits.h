/* The time in which threads waited: a second profile over the same functions and contexts.
 *
 * What was seen from outside (recording/reader.h, struct seen_waits) becomes profile->waits.  A
 * view of a profile in which waiting takes the place of CPU time can be given to all that computes
 * or shows costs. */
#ifndef ASCRIBE_ATTRIBUTION_WAITS_H
#define ASCRIBE_ATTRIBUTION_WAITS_H

#include "attribution/recorded/stack_ticks.h"

struct wait_adder {
  struct profile *profile;
  struct places *places;
  struct expansion *expansion;
  struct stack_ticks *ticks;
};

/* Add what was seen of a process to its profile, profile->processes' last one, whose threads begin
 * at `first_thread`. Afterwards the places and the expansion are of no process. */
void waits_add(struct wait_adder *adder, const struct process_recording *process,
               uint32_t first_thread);

/* Whether somebody looked at threads that waited. */
bool waits_known(const struct profile *profile);

/* The view. It uses the profile's memory, besides its own, which waits_view_free frees. */
void waits_view(const struct profile *profile, struct profile *view);

/* The same for who asked for it on the command line: -1 (error set) where nobody looked. */
int waits_asked(const struct profile *profile, struct profile *view, struct error *error);
void waits_view_free(struct profile *view);

#endif
