/* A profile made of GHC's cost centres: each is a function, and the tree of their stacks gives
 * contexts with time, allocated bytes and calls.
 * Source: GHC User's Guide, "Profiling", "Cost centres and cost-centre stacks". */
#ifndef ASCRIBE_EXCHANGE_COST_CENTRES_H
#define ASCRIBE_EXCHANGE_COST_CENTRES_H

#include "exchange/import.h"
#include "exchange/stack_profile.h"

/* The metrics of its profile, until one is put first at the end. */
enum { CENTRE_TIME, CENTRE_ALLOCATED };

struct cost_centres {
  struct stack_profile stacks;
  uint32_t thread;
  uint32_t *path; /* the cost centres above the one at hand, outermost first */
  size_t depth;
};

/* The cost of a stack of cost centres, without the stacks below it. */
struct centre_figures {
  uint64_t entries;
  uint64_t ticks, ns;
  uint64_t bytes; /* allocated */
};

/* The texts are copied; `date` is GHC_DATE (printed_date.h) or null. */
void cost_centres_open(struct cost_centres *centres, const char *format, const char *command,
                       const char *date);

/* The bytes of Haskell's module in "GHC.Show.show": 0 where none begins the name. */
size_t cost_centres_module(const char *name);

/* A cost centre as a function. A module of Haskell's is part of its name, any other its object.
 * `location` is GHC's: "a.hs:3:1-20", "a.hs:(3,1)-(5,10)", or
 * something in angle brackets. */
uint32_t cost_centres_function(struct cost_centres *centres, const char *label, const char *module,
                               const char *location);

/* Begins the stack of `function` below the first `depth` cost centres of the stack before it.
 * False: that stack has fewer. */
bool cost_centres_push(struct cost_centres *centres, size_t depth, uint32_t function);

/* Charges the stack that was pushed last. Returns -1 if the sums would overflow. */
int cost_centres_charge(struct cost_centres *centres, const struct centre_figures *figures);

/* Ends the import whose result so far is `result`. The first metric is `event` or, if that is null,
 * time, else allocated bytes. Returns `result`, or -1 with the error set; frees everything but the
 * profile. */
int cost_centres_finish(struct cost_centres *centres, const char *name, const char *event,
                        int result, struct profile **profile, struct error *error);

#endif
