/* Saving a profile under the name that the user gave, or a free one: no profile is lost in silence.
 */
#ifndef ASCRIBE_CLI_PROFILE_OUTPUT_H
#define ASCRIBE_CLI_PROFILE_OUTPUT_H

#include <limits.h>
#include <stdbool.h>

#include "store/store.h"

#define PROFILE_SUFFIX ".ascribe"

struct profile_output {
  const char *asked;                  /* with -o: a file that stands there is replaced; or null */
  const char *usual;                  /* without: this name, or the first free one like it */
  const struct kept_sources *sources; /* with -o: profiles that it was made of; or null */
  /* After saving: */
  char saved[PATH_MAX];
  bool replaced;
};

/* Whether it can be saved, as far as is known before there is a profile. 0, or -1. */
int profile_output_check(const struct profile_output *output, struct error *error);

/* 0, or -1. */
int profile_output_save(struct profile_output *output, const struct profile *profile,
                        struct error *error);

/* One line on standard error. */
void profile_output_say(const struct profile_output *output);

#endif
