/* --metric, --focus, --thread and --process: the part of a profile that the user wants to see. */
#ifndef ASCRIBE_CLI_CHOICE_H
#define ASCRIBE_CLI_CHOICE_H

#include "attribution/costs.h"

enum { MOST_FOCUS = 64 };

/* As on the command line. All zeros: everything. */
struct choice {
  const char *focus[MOST_FOCUS];
  size_t focus_count;
  const char *thread;  /* its number, its id or its name; null: all */
  const char *process; /* its id, or the name of the program of several; null: all */
  const char *metrics; /* names with commas between them; null: the first */
};

/* Take one of the options, its value in optarg. As options_take. */
int choice_take(struct choice *choice, int option);

/* Look the names up. The selection is to be given to choice_release. */
int choice_resolve(const struct choice *choice, const struct profile *profile,
                   struct selection *selection, struct error *error);

/* Look up the metrics, at least one. The array is the caller's, in any case. */
int choice_metrics(const struct choice *choice, const struct profile *profile, uint32_t **metrics,
                   size_t *count, struct error *error);
void choice_release(struct selection *selection);

#endif
