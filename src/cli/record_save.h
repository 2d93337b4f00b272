/* The end of `ascribe record`: a recording becomes a profile, with a summary for the user. */
#ifndef ASCRIBE_CLI_RECORD_SAVE_H
#define ASCRIBE_CLI_RECORD_SAVE_H

#include <limits.h>

#include "cli/record_options.h"
#include "recording/reader.h"

/* Save it under the name that was asked for, or by that of `program` (a path). `directory`: where
 * the recording lies; null: in no file. 0 when that was done; messages have been printed. */
int record_save(const struct record_options *options, struct recording *recording,
                const char *directory, const char *program);

/* The name of the profile of a program, which is a path: what -o says, or PROGRAM.ascribe in the
 * current directory; of one rank of several, with its number. */
void record_save_name(const struct record_options *options, const char *program,
                      char path[PATH_MAX]);

/* That --duration is over while the program runs. */
void record_say_over(const struct record_options *options);

/* Whether that will be possible, before the program is run. 0, or -1: it has been said why not. */
int record_save_check(const struct record_options *options);

#endif
