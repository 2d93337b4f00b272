/* From a recording to a profile. */
#ifndef ASCRIBE_ATTRIBUTION_NORMALISE_H
#define ASCRIBE_ATTRIBUTION_NORMALISE_H

#include "base/error.h"
#include "profile/profile.h"

/* Make a profile of a recording, which may be closed afterwards.  Reads the symbols of the
 * objects in it.  Fails only when symbols cannot be read at all.  The profile is the caller's, to
 * be freed with profile_free. */
int profile_from_recording(const struct recording *recording, struct profile **profile,
                           struct error *error);

#endif
