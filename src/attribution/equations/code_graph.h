/* The call graph of an executable's code, for a profile that has counts of functions and of source:
 * which call sites there are, how often each was executed at most, and what it may have called.
 * Source: Waddell and Ashley, "Visualizing the performance of higher-order programs", section 4. */
#ifndef ASCRIBE_ATTRIBUTION_CODE_GRAPH_H
#define ASCRIBE_ATTRIBUTION_CODE_GRAPH_H

#include "attribution/equations/place_counts.h"

/* Add the executable at `path` as an object, its call sites, call places and possible calls, and
 * solve them (possible_calls.h).  The profile has given figures and no sites yet. `uses` are as in
 * place_counts.h.
 *
 * A call through a pointer may reach every function whose address is taken, and code without
 * counts where the address of such code is.  Code without counts calls whatever has no counted
 * caller by rights: main, constructors, what is exported; and where the program needs foreign
 * libraries, or gives functions to qsort and its like, all whose address is taken.  What was
 * inlined somewhere was counted there too, but has no call there: it has one more unknown caller,
 * in this object (possible_calls.h).  What was never executed is left out.
 *
 * Returns -1 if the executable cannot be read, has no debug information, or is not what was
 * counted. */
int code_graph_add(struct profile *profile, const char *path, const struct profile_expression *uses,
                   size_t use_count, struct error *error);

#endif
