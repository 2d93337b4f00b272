/* Names of functions for formats that know functions by their names alone. */
#ifndef ASCRIBE_EXCHANGE_EXPORT_NAMES_H
#define ASCRIBE_EXCHANGE_EXPORT_NAMES_H

#include "profile/profile.h"

/* By function.  Where several have one name, their places are added; no two names are equal.
 * Control characters and what is no valid UTF-8 appear as '?'.  The array is the caller's, the
 * names are the pool's. */
const char **export_names(const struct profile *profile, struct pool *pool);

/* The text without control characters, as valid UTF-8. */
const char *export_clean(struct pool *pool, const char *text);

#endif
