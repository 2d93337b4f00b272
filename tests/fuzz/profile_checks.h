/* What readers of profiles rely on. */
#ifndef ASCRIBE_TESTS_PROFILE_CHECKS_H
#define ASCRIBE_TESTS_PROFILE_CHECKS_H

#include "profile/profile.h"

/* Ids, histories and sums. Ends the program where they break a rule. */
void check_profile(const struct profile *profile);

/* All reports of it are made, as text and as JSON. */
void check_reports(const struct profile *profile);

/* A part of its time, and cost centres by object, instead of it: they break no rule either. */
void check_parts(struct profile *profile);

#endif
