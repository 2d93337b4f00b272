/* --centres[=RULE]: cost centres that follow from the stacks. */
#ifndef ASCRIBE_CLI_CENTRE_CHOICE_H
#define ASCRIBE_CLI_CENTRE_CHOICE_H

#include "attribution/derived_centres.h"

enum { PATTERNS_MOST = 64 };

/* As on the command line. All zeros: those that the program named. */
struct centre_choice {
  struct centre_rules rules;
  struct centre_pattern patterns[PATTERNS_MOST]; /* of `rules`; names are to be freed */
};

/* Take a word, functions, exported, files, objects or NAME=PATTERN; null: none was given. 0, or -1
 * after a message: wrong use. */
int centre_choice_take(struct centre_choice *choice, const char *text);

/* Replace the profile's cost centres by those that were asked for, if any were. */
int centre_choice_apply(struct centre_choice *choice, struct profile *profile, struct error *error);

void centre_choice_free(struct centre_choice *choice);

#endif
