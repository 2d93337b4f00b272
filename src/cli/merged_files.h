/* Profile files as one profile, their sum. */
#ifndef ASCRIBE_CLI_MERGED_FILES_H
#define ASCRIBE_CLI_MERGED_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct profile;

/* One file after the other is read: only the sum stays in memory. `force`: of different programs,
 * too. 0, with a profile that is the caller's, or -1 with the reason. */
int merged_files(char *const *files, size_t count, bool force, struct profile **merged,
                 struct error *error);

#endif
