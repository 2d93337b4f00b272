/* The private directory of a recording: on memory where there is some, never on a network. */
#ifndef ASCRIBE_CLI_TEMPORARY_H
#define ASCRIBE_CLI_TEMPORARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Where it may be made: ASCRIBE_TMPDIR if that is set, else /dev/shm, TMPDIR, /var/tmp and /tmp,
 * but those on a network. Returns how many. */
enum { TEMPORARY_PARENTS = 4 };
size_t temporary_parents(const char *parents[TEMPORARY_PARENTS]);

/* A file that temporary_create puts into its directories: nobody else's are ever removed. */
#define TEMPORARY_MARK "recorder"

/* Make it in the first of them that lets us, mode 0700, and write its path. It is marked, and
 * locked (flock) as long as this process lives. */
int temporary_create(char path[PATH_MAX], struct error *error);

/* Whether no process recorded into it. */
bool temporary_is_empty(const char *path);

/* Remove the directory and the recordings in it. */
void temporary_remove(const char *path);

#endif
