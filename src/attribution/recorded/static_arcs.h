/* Calls that stand in the code of a profile's objects, made or not: gprof's static call graph.
 * Source: Graham, Kessler, McKusick, "gprof: a call graph execution profiler", section 4. */
#ifndef ASCRIBE_ATTRIBUTION_STATIC_ARCS_H
#define ASCRIBE_ATTRIBUTION_STATIC_ARCS_H

#include "profile/profile.h"

struct static_arcs {
  size_t
      indirect;  /* calls through pointers, in the objects that were read: nobody knows where to */
  size_t unread; /* objects with counted functions whose code is not there any more */
};

/* Fill profile->static_arcs from the objects with counted functions: calls at one end of which is a
 * function of the profile.  What is at the other end, never called, becomes a function too.
 * Objects whose file is not the one that ran (its build-id) are passed over. */
void static_arcs_find(struct profile *profile, struct static_arcs *result);

#endif
