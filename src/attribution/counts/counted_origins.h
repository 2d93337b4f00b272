/* How the code of a function with counters came there, as the compiler describes it, in terms of a
 * profile. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTED_ORIGINS_H
#define ASCRIBE_ATTRIBUTION_COUNTED_ORIGINS_H

#include "attribution/recorded/places.h"
#include "symbols/source_ranges.h"

/* By number of an origin; 0 is the function itself. */
struct counted_origins {
  uint32_t *functions;             /* whose source stands there: that which was inlined */
  struct profile_expansion *steps; /* `parent` is the number of an origin */
  bool *named;                     /* else it is nothing but its parent */
  uint32_t *expansions;            /* those that were asked for; or NOTHING */
  uint32_t count;
};

/* Open and close the origins in `code`, the profile's `function` in its object `object`. Invalid
 * ones are left out. */
void counted_origins_open(struct places *places, uint32_t object, uint32_t function,
                          const struct counted_code *code, struct counted_origins *origins);
void counted_origins_close(struct counted_origins *origins);

/* The expansion of an origin; NOTHING: the function itself. It comes into the profile when it is
 * asked for: most code that was inlined never ran. */
uint32_t counted_origins_expansion(struct profile_builder *builder,
                                   const struct counted_origins *origins, uint32_t number);

/* The path of a file that `code` names, in the profile's pool; null: none. */
const char *counted_path(struct places *places, const struct counted_code *code, uint32_t name);

#endif
