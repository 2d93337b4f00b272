/* Running the program that is recorded, as the user's shell would: it gets its signals, its output
 * stays its own, and its end becomes ours. */
#ifndef ASCRIBE_CLI_LAUNCH_H
#define ASCRIBE_CLI_LAUNCH_H

/* `name` = `value` in the program's environment. */
struct launch_variable {
  const char *name;
  const char *value; /* null: as it was */
};

enum { LAUNCH_VARIABLES = 8 };

struct launch {
  char **program; /* its name, searched as execvp does, and arguments; null-terminated */
  struct launch_variable variables[LAUNCH_VARIABLES]; /* up to the first without a name */
};

/* Run it to its end.  Signals sent to us meanwhile are passed on.  Returns 0 with its wait status,
 * or -1 with errno when it could not be started. */
int launch_run(const struct launch *launch, int *status);

/* End as a program with this wait status did, by its signal if need be: an exit status to return.
 */
int launch_end_as(int status);

#endif
