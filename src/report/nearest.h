/* What may have been meant by the name of a function that is not in the profile. */
#ifndef ASCRIBE_REPORT_NEAREST_H
#define ASCRIBE_REPORT_NEAREST_H

#include "profile/profile.h"

enum { NEAREST_BYTES = 300 };

/* "; near: a::get, a::getter": the names that hold `wanted`, then those that differ from it by a
 * few letters, without regard to case; of equal ones the first. Empty if none is near. */
const char *nearest_names(const struct profile *profile, const char *wanted,
                          char text[NEAREST_BYTES]);

#endif
