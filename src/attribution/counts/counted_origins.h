/* How the code of a function with counters came there, as the compiler describes it, in terms of a
 * profile. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTED_ORIGINS_H
#define ASCRIBE_ATTRIBUTION_COUNTED_ORIGINS_H

#include "attribution/recorded/places.h"
#include "symbols/source_ranges.h"

/* By number of an origin; 0 is the function itself. */
struct counted_origins {
  uint32_t *functions;  /* whose source stands there: that which was inlined */
  uint32_t *expansions; /* or NOTHING */
  uint32_t count;
};

/* Open and close the origins in `code`, the profile's `function` in its object `object`. Invalid
 * ones are left out. */
void counted_origins_open(struct places *places, uint32_t object, uint32_t function,
                          const struct counted_code *code, struct counted_origins *origins);
void counted_origins_close(struct counted_origins *origins);

/* The path of a file that `code` names, in the profile's pool; null: none. */
const char *counted_path(struct places *places, const struct counted_code *code, uint32_t name);

#endif
