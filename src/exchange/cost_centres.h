/* GHC's cost centres in a profile: each is a function, and each stack of them a context.
 * Source: GHC User's Guide, "Profiling", "Cost centres and cost-centre stacks". */
#ifndef ASCRIBE_EXCHANGE_COST_CENTRES_H
#define ASCRIBE_EXCHANGE_COST_CENTRES_H

#include "exchange/stack_profile.h"

/* How GHC calls a cost centre; both null of a function that is none. */
struct named_centre {
  const char *label, *module;
};

struct cost_centres {
  struct stack_profile stacks;
  uint32_t process, thread;
  struct named_centre *names; /* by function, up to `named` */
  size_t named;
  uint32_t *path; /* the cost centres above the one at hand, outermost first */
  size_t depth;
  uint32_t stamp; /* of the stack at hand, where it is theirs */
};

/* A profile with one process, which nobody has named yet, and one metric without a name. */
void cost_centres_open(struct cost_centres *centres);

/* The bytes of Haskell's module in "GHC.Show.show": 0 where none begins the name. */
size_t cost_centres_module(const char *name);

/* A cost centre as a function. A module of Haskell's is part of its name, any other its object.
 * Those that stand for work of GHC's runtime have RUNTIME_OBJECT as their object. `location` is
 * GHC's: "a.hs:3:1-20", "a.hs:(3,1)-(5,10)", or something in angle brackets. */
#define RUNTIME_OBJECT "[GHC's runtime]"
uint32_t cost_centres_function(struct cost_centres *centres, const char *label, const char *module,
                               const char *location);

/* Any other place of Haskell code, which is no cost centre. */
uint32_t cost_centres_place(struct cost_centres *centres, const char *label, const char *module,
                            const char *location);

/* Whether it stands for work of the runtime. */
bool cost_centres_is_runtime(const struct cost_centres *centres, uint32_t function);

/* Begins the stack of `function` below the first `depth` cost centres of the stack before it.
 * False: that stack has fewer. */
bool cost_centres_push(struct cost_centres *centres, size_t depth, uint32_t function);

/* One more below the last: the stack at hand goes on. */
void cost_centres_add(struct cost_centres *centres, uint32_t function);

/* Of a profile that is complete but for this: its functions with names are cost centres of the
 * profile, too, with the contexts, entries and costs of their stacks. */
void cost_centres_finish(struct cost_centres *centres);

#endif
