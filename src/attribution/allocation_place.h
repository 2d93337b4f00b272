/* Where memory was allocated: the innermost function of a stack that is not an allocator, of C++'s
 * library or a wrapper (report --wrappers). A stack of nothing else ends where it does. */
#ifndef ASCRIBE_ATTRIBUTION_ALLOCATION_PLACE_H
#define ASCRIBE_ATTRIBUTION_ALLOCATION_PLACE_H

#include "attribution/costs.h"

/* Whether a call in the function is not what the programmer wrote: it is of libc, of an allocator
 * or of C++'s library. */
bool allocation_passes_over(const struct profile *profile, uint32_t function);

/* By function: those, and the wrappers of the selection (null: none). The caller's, to be freed. */
bool *allocation_passes(const struct profile *profile, const struct selection *selection);

/* The tick, as if its stack ended in that function. */
struct profile_tick allocation_place(const struct profile *profile, const struct profile_tick *tick,
                                     const bool *passed);

/* All ticks of the profile's metric like that. The caller's, to be freed. */
struct profile_tick *allocation_places(const struct profile *profile, const bool *passed);

/* The context, as if it ended there: the rest of its history is a history, too, because the
 * function's latest activation is the marked one. The history is shared. */
struct profile_context allocation_context(struct profile_context context, const bool *passed);

#endif
