/* Long output on a terminal goes through a pager, as git has it. */
#ifndef ASCRIBE_CLI_PAGER_H
#define ASCRIBE_CLI_PAGER_H

#include <sys/types.h>

#include "base/error.h"

struct pager {
  const char *command; /* null: none is running */
  pid_t process;
  int terminal; /* the standard output as it was */
};

/* From now on the standard output goes to $ASCRIBE_PAGER, or $PAGER, or less -FRX if there is one.
 * Nothing happens if the standard output is no terminal, if the command is empty or cat, or if it
 * cannot be run. SIGPIPE and SIGINT are ignored from then on. */
void pager_open(struct pager *pager);

/* Give it the rest and wait for its end. Returns -1 if what was written did not reach it because
 * it could not be started; that it ended early is no error. */
int pager_close(struct pager *pager, struct error *error);

#endif
