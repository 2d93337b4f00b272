/* `ascribe record --repeat`: a program is run several times, and the profile is the sum of its
 * runs, which knows how far they differ. */
#ifndef ASCRIBE_CLI_RECORD_REPEAT_H
#define ASCRIBE_CLI_RECORD_REPEAT_H

#include "cli/record_options.h"

/* `record` records one run, as the options say, and returns the exit status. Runs end early where
 * one was ended by a signal, or could not be recorded: those before it are kept, the first one in
 * any case. Returns the exit status: the first one that is not 0. Messages have been printed. */
int record_repeat(const struct record_options *options,
                  int (*record)(const struct record_options *options));

#endif
