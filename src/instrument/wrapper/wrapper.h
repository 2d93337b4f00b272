/* The compiler wrapper: from `ascribe cc ARGUMENTS` to the command that is run instead. */
#ifndef ASCRIBE_INSTRUMENT_WRAPPER_H
#define ASCRIBE_INSTRUMENT_WRAPPER_H

#include <getopt.h>
#include <stdbool.h>

#include "base/error.h"
#include "instrument/wrapper/words.h"

enum wrapper_hooks {
  WRAPPER_NO_HOOKS,
  WRAPPER_COUNTERS, /* the GCC plugin: without contexts; after inlining, or of the source */
  WRAPPER_PASS,     /* clang's plugin: after inlining, without contexts */
  WRAPPER_PLUGIN,   /* the GCC plugin: after inlining */
  WRAPPER_HEADER,   /* -finstrument-functions with hooks that gcc inlines */
  WRAPPER_CALLED,   /* -finstrument-functions[-after-inlining] with hooks that are called */
};

/* What will be done, and why. */
struct wrapper_plan {
  struct words command; /* for execvp */
  enum wrapper_hooks hooks;
  bool expressions;          /* WRAPPER_COUNTERS: of the source, before optimization */
  bool runtime;              /* the runtime is linked in */
  bool explain;              /* --ascribe-explain: print the plan, do not run it */
  bool is_second_best;       /* worth telling the user, once */
  const char *compiler_from; /* the variable that chose the compiler, or null: the usual one */
  char hooks_reason[320];    /* why these */
  char runtime_reason[200];  /* why the runtime is linked or not */
};

/* Make the plan for `ascribe LANGUAGE arguments...`; arguments[0] is the language: "cc", "c++" or
 * "fc".  `known` are the options of Ascribe's own, for advice where one is spelled wrong.  Reads
 * the environment (ASCRIBE_CC or CC, ASCRIBE_CXX or CXX, ASCRIBE_FC or FC, ASCRIBE_ONLY,
 * ASCRIBE_SKIP, ASCRIBE_CC_CENTRES, ASCRIBE_SWITCHERS, ASCRIBE_LEAF_STATEMENTS,
 * ASCRIBE_SUPPORT_DIR) and asks the compiler for its version.  Returns 0, or -1 with `error` set;
 * the plan is freed with wrapper_plan_free either way. */
int wrapper_plan_make(int count, char *const *arguments, const struct option *known,
                      struct wrapper_plan *plan, struct error *error);
void wrapper_plan_free(struct wrapper_plan *plan);

/* What is counted, in one line for the user. */
const char *wrapper_plan_counts(const struct wrapper_plan *plan);

#endif
