/* From a recording to a profile. */
#ifndef ASCRIBE_ATTRIBUTION_NORMALISE_H
#define ASCRIBE_ATTRIBUTION_NORMALISE_H

#include "base/error.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

/* Make a profile of a recording, which may be closed afterwards.  Reads the symbols of the
 * objects in it.  Fails only when symbols cannot be read at all.  The profile is the caller's, to
 * be freed with profile_free. */
int profile_from_recording(const struct recording *recording, struct profile **profile,
                           struct error *error);

/* The same with symbols that the caller keeps, for a recording whose program still runs: each
 * profile of it after the first one finds most of them read. */
void profile_from_live_recording(const struct recording *recording, struct symbols *symbols,
                                 struct profile **profile);

#endif
