/* Running the program that is recorded, as the user's shell would: it gets its signals, its output
 * stays its own, and its end becomes ours. */
#ifndef ASCRIBE_CLI_LAUNCH_H
#define ASCRIBE_CLI_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* `name` = `value` in the program's environment. */
struct launch_variable {
  const char *name;
  const char *value; /* null: as it was */
};

enum { LAUNCH_VARIABLES = 13 };

struct launch {
  char **program; /* its name, searched as execvp does, and arguments; null-terminated */
  struct launch_variable variables[LAUNCH_VARIABLES]; /* up to the first without a name */
  const int *files; /* its standard input, output and error, -1: as ours; null: all are */
};

/* A process that waits to become the program, or is it. */
struct launched {
  pid_t pid;
  int gate, failure; /* ends of pipes */
};

/* Make its process, which waits.  Signals sent to us from now on are passed on.  0, or -1 with
 * errno. */
int launch_hold(const struct launch *launch, struct launched *launched);

/* Let it run.  0, or -1 with errno when it could not be started: it is gone then. */
int launch_release(struct launched *launched);

/* It is not to run. */
void launch_abandon(struct launched *launched);

/* Wait for its end for so long at most: whether it came. */
bool launch_ends_within(const struct launched *launched, uint64_t ns);

/* Wait for its end. 0 with its wait status, or -1 with errno. */
int launch_wait(struct launched *launched, int *status);

/* Signals sent to us are passed on to another child of ours from now on. */
void launch_pass_on_to(pid_t pid);

/* All of it: run it to its end. 0 with its wait status, or -1 with errno when it could not be
 * started. */
int launch_run(const struct launch *launch, int *status);

/* Say why it could not be started, by errno. The exit status for that. */
int launch_failed(const char *program);

/* End as a program with this wait status did, by its signal if need be: an exit status to return.
 */
int launch_end_as(int status);

#endif
