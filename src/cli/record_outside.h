/* `ascribe record --perf` and `--pid`: the program is looked at from outside. */
#ifndef ASCRIBE_CLI_RECORD_OUTSIDE_H
#define ASCRIBE_CLI_RECORD_OUTSIDE_H

#include "cli/record_options.h"

/* Start the program and record it. The exit status. */
int record_outside(const struct record_options *options);

/* Record a process that runs already, until it ends, the duration has passed, or we are told to
 * end. The exit status. */
int record_running(const struct record_options *options);

#endif
