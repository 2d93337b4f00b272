/* Cost centres that follow from contexts, after the run and for any program.
 * Source: Sansom and Peyton Jones, section 3.5 (automatic cost centres): there the compiler places
 * them at every function; here a rule says what of the stack is one. */
#ifndef ASCRIBE_ATTRIBUTION_DERIVED_CENTRES_H
#define ASCRIBE_ATTRIBUTION_DERIVED_CENTRES_H

#include "base/error.h"
#include "profile/profile.h"

enum centre_rule {
  CENTRES_NONE,
  CENTRES_FUNCTIONS, /* each function of the program's own code (own_code.h) */
  CENTRES_EXPORTED,  /* those of them that other files, or objects, may call by name */
  CENTRES_FILES,     /* each source file of that */
  CENTRES_OBJECTS,   /* the program and each library */
};

/* Functions whose names match (fnmatch(3)) are one centre. */
struct centre_pattern {
  const char *name, *pattern;
};

/* The first pattern that a function's name matches, else the rule. */
struct centre_rules {
  enum centre_rule rule;
  const struct centre_pattern *patterns;
  size_t pattern_count;
};

/* Replace the cost centres of the profile. A tick is in the centre of the innermost function on its
 * stack that has one; the stack of centres folds as that of functions does. How often centres were
 * entered is not known. -1 with the error set where no function has a centre. */
int derived_centres_make(struct profile *profile, const struct centre_rules *rules,
                         struct error *error);

/* The rule of this name, or CENTRES_NONE. */
enum centre_rule centre_rule_named(const char *name);

#endif
