/* Copies of code: how each came to where it runs, and what each has of its expression's time. */
#ifndef ASCRIBE_ATTRIBUTION_COPIES_H
#define ASCRIBE_ATTRIBUTION_COPIES_H

#include "profile/builder.h"

/* The suffix of a clone's linkage name, in the pool; null: it is no clone.  Pieces that the
 * compiler moved out of line (*.cold) belong to what they are pieces of. */
const char *copies_clone(struct pool *pool, const char *linkage);

/* What an expansion came through, to be shown, innermost first: "scale at e.c:24:9 in twice
 * at e.c:30:3"; "macro MAX at e.c:12:5".  To be freed by the caller. */
char *expansion_text(const struct profile *profile, uint32_t expansion);

/* Add the copies of expressions that ticks fell on, of all metrics; their executions are not told
 * apart. */
void copies_find(struct profile_builder *builder);

/* The cost of each copy's own code, by copy: of instructions that lie in its expression, came there
 * in the same way, and run in the same function. The array is the caller's. */
struct amount *copies_self(const struct profile *profile);

#endif
