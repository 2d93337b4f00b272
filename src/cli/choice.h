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

/* Returns -1 when there are too many already. */
int choice_add_focus(struct choice *choice, const char *function);

/* Look the names up. The selection is to be given to choice_release. */
int choice_resolve(const struct choice *choice, const struct profile *profile,
                   struct selection *selection, struct error *error);
void choice_release(struct selection *selection);

#endif
