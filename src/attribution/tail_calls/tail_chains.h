/* Which functions stand between a call and what it reached by tail calls.
 * The search is gdb's (call_site_find_chain): a chain is known where it is the only one. */
#ifndef ASCRIBE_ATTRIBUTION_TAIL_CHAINS_H
#define ASCRIBE_ATTRIBUTION_TAIL_CHAINS_H

#include <stdbool.h>

#include "profile/profile.h"

/* A tail call: to where, and the place of the jump (its end, as with return addresses). */
struct tail_jump {
  uint32_t to;
  uint32_t object; /* or NOTHING: the place is not known */
  uint64_t offset;
  const char *file; /* or null */
  uint32_t line;
};

/* What the program's code says.  Ids below the profile's function_count are its functions; from
 * there on they stand for code that is not in the profile. */
struct tail_code {
  void *data;
  /* What the call instruction of a site names, or NOTHING: a pointer, or not known. */
  uint32_t (*target)(void *data, const struct profile_site *site);
  /* The tail calls of a function. False: not all of them are known. They belong to the source. */
  bool (*jumps)(void *data, uint32_t id, const struct tail_jump **jumps, size_t *count);
};

enum { LONGEST_CHAIN = 16 };

/* from[0] is the function that was called, from[length - 1] the one whose tail call reached the
 * end of the chain, which is not in it. */
struct tail_chain {
  uint32_t length;
  uint32_t from[LONGEST_CHAIN];
};

/* The only chain of tail calls from `start` to `end`.  `entered` holds the functions that were
 * entered with the return address at hand; all others with hooks were not on the way.  Returns
 * false where there is none, or more than one is possible, or where the code does not say. */
bool tail_chain_find(const struct profile *profile, const struct tail_code *code, uint32_t start,
                     uint32_t end, const uint32_t *entered, size_t entered_count,
                     struct tail_chain *chain);

/* Whether `start` may have reached `end` by tail calls: there is a chain, or the code does not say.
 * The rest as above. */
bool tail_chain_is_possible(const struct profile *profile, const struct tail_code *code,
                            uint32_t start, uint32_t end, const uint32_t *entered,
                            size_t entered_count);

#endif
