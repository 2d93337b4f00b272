/* `ascribe record --perf` and `--pid`: the program is looked at from outside. */
#ifndef ASCRIBE_CLI_RECORD_OUTSIDE_H
#define ASCRIBE_CLI_RECORD_OUTSIDE_H

#include "cli/record_options.h"

/* Start the program and record it: the exit status. Where the kernel does not permit it the program
 * is not started, unless it is to run in any case. */
int record_outside(const struct record_options *options, bool in_any_case);

/* Record a process that runs already, until it ends, the duration has passed, or we are told to
 * end. The exit status. */
int record_running(const struct record_options *options);

#endif
