/* The functions that are missing in contexts because they left by tail calls.
 *
 * Before g, called by f at return address s, jumps to h, it puts f's context back.  So the
 * recording has h as called by f, at a site whose instruction names g: the chain that is missing
 * is g (or more functions, each of which jumped to the next). */
#ifndef ASCRIBE_ATTRIBUTION_TAIL_MISSING_H
#define ASCRIBE_ATTRIBUTION_TAIL_MISSING_H

#include "attribution/tail_calls/tail_chains.h"

/* In by_transition: nothing is missing; something may be, but it is not known what. */
#define CHAIN_NONE UINT32_MAX
#define CHAIN_UNKNOWN (UINT32_MAX - 1)

/* A context whose chain goes through the one that `needs` stands for. */
struct chain_need {
  uint32_t context, needs;
};

struct tail_missing {
  struct tail_chain *chains;
  size_t chain_count;
  uint32_t *by_transition; /* the chain between caller and callee, CHAIN_NONE or CHAIN_UNKNOWN */
  bool *in_doubt; /* by transition: other functions may have made its calls, by tail calls; where
                     there is a chain, if that is not put back */
  uint32_t *by_context; /* the chain on which all calls into it agree, else CHAIN_NONE */
  struct chain_need *needs;
  size_t need_count;
};

/* Returns false, and leaves nothing to be freed, if nothing is missing anywhere, nor in doubt. */
bool tail_missing_find(const struct profile *profile, const struct tail_code *code,
                       struct tail_missing *missing);
void tail_missing_free(struct tail_missing *missing);

#endif
