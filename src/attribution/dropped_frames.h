/* Which histories may lack frames: those of contexts that recursion has folded. */
#ifndef ASCRIBE_ATTRIBUTION_DROPPED_FRAMES_H
#define ASCRIBE_ATTRIBUTION_DROPPED_FRAMES_H

#include "profile/profile.h"

struct folded_context {
  uint32_t length; /* of its history */
  uint32_t prefix; /* the context that is one entry shorter, which comes earlier; or NOTHING */
  bool folds;      /* it has entries that are not marked */
};

/* By context. A history lacks nothing if each step that led to it has made it one entry longer,
 * from one that lacked nothing. `steps`: calls from context to context. The result is the caller's.
 */
bool *dropped_frames_find(const struct folded_context *contexts, size_t count,
                          const struct profile_transition *steps, size_t step_count);

/* The same of all contexts of a profile. */
bool *dropped_frames_of(const struct profile *profile);

#endif
