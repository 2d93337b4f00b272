/* How a program can be recorded, known from its file before it runs. */
#ifndef ASCRIBE_CLI_OBSTACLE_H
#define ASCRIBE_CLI_OBSTACLE_H

#include <stdbool.h>

/* Each is harder to reach than the one before. */
enum reach {
  REACH_INSIDE,  /* by the runtime, which is loaded or linked into it */
  REACH_OUTSIDE, /* from outside, by perf events */
  REACH_RUNNING, /* from outside, once it runs, by root */
  REACH_NONE     /* not at all */
};

/* How `program`, found as execvp finds it, can be recorded; of a script, its interpreter. `*reason`
 * says why not from inside, in words that continue "PROGRAM "; null with REACH_INSIDE.
 * `*hides_points` says whether CHICKEN is linked into it, and the runtime is not: it does not see
 * the trace points. A file that cannot be read is not judged. */
enum reach obstacle_find(const char *program, const char **reason, bool *hides_points);

#endif
