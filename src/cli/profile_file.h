/* The profile that a command is about: a file, or a recording that is not one yet. */
#ifndef ASCRIBE_CLI_PROFILE_FILE_H
#define ASCRIBE_CLI_PROFILE_FILE_H

#include <stdbool.h>

#include "compare/workspace.h"
#include "profile/profile.h"

/* Null gives the newest *.ascribe of the current directory, and a line says
 * which if there are several; else a copy of `path`. The name is the caller's, to be freed. */
int profile_file_find(const char *path, char **name, struct error *error);

/* The file or folder itself, of FILE or FILE@FROM-TO (profile_file_load); the caller's, to be
 * freed.
 */
char *profile_file_path(const char *name);

/* Whether it is a profile's file as it is: not a recording (ASCRIBE_OUT), and no part of a profile.
 */
bool profile_file_is_stored(const char *name);

/* Load a profile, or the recording in a directory or file; of FILE@FROM-TO, where no file has that
 * name, what was measured from one second of the run to another (attribution/interval.h). `series`:
 * with those of its metrics (profile/time_slices.h), if it has them. Parts of a recording that
 * cannot be read are left out, with a word on standard error. The profile is the caller's. */
int profile_file_load(const char *name, bool series, struct profile **profile, struct error *error);

/* Add a profile to the workspace: one of those. */
int profile_file_add(struct workspace *workspace, const char *name, struct error *error);

#endif
