/* The profile that a command is about: a file, or a recording that is not one yet. */
#ifndef ASCRIBE_CLI_PROFILE_FILE_H
#define ASCRIBE_CLI_PROFILE_FILE_H

#include <stdbool.h>

#include "compare/workspace.h"
#include "profile/profile.h"

/* Null gives the newest *.ascribe of the current directory, and a line says
 * which if there are several; else a copy of `path`. The name is the caller's, to be freed. */
int profile_file_find(const char *path, char **name, struct error *error);

/* Whether that is what a running program writes (ASCRIBE_OUT), and no profile. */
bool profile_file_is_recording(const char *path);

/* Load a profile, or the recording in a directory or file. Parts of a recording that cannot be
 * read are left out, with a word on standard error. The profile is the
 * caller's. */
int profile_file_load(const char *path, struct profile **profile, struct error *error);

/* Add a profile to the workspace, or the recording in a directory or file, as above. */
int profile_file_add(struct workspace *workspace, const char *path, struct error *error);

#endif
