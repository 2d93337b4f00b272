/* Cost centres of a profile: functions of profile->centres, whose `linkage` is their module. */
#ifndef ASCRIBE_PROFILE_CENTRES_H
#define ASCRIBE_PROFILE_CENTRES_H

#include "profile/builder.h"

/* The centre of this label and module, added if it is new. `builder` is of profile->centres. */
uint32_t centres_add(struct profile_builder *builder, const struct profile_function *centre);

/* The centre that stands for entries that had no room in the recording. */
uint32_t centres_add_unrecorded(struct profile_builder *builder);

static inline bool profile_has_centres(const struct profile *profile) {
  return profile->centres && profile->centres->function_count;
}

#endif
