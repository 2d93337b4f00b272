/* --focus, --thread and --process: the part of a profile that the user wants to see. */
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
};

/* Take one of the options: its letter (f, t, p), its value in optarg. As options_take. */
int choice_take(struct choice *choice, int option);

/* Look the names up. The selection is to be given to choice_release. */
int choice_resolve(const struct choice *choice, const struct profile *profile,
                   struct selection *selection, struct error *error);
void choice_release(struct selection *selection);

#endif
