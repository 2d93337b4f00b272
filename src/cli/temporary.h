/* The private directory of a recording: on memory where there is some, never on a network. */
#ifndef ASCRIBE_CLI_TEMPORARY_H
#define ASCRIBE_CLI_TEMPORARY_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* Make it, mode 0700, and write its path. ASCRIBE_TMPDIR names its parent; else /dev/shm, TMPDIR,
 * /var/tmp and /tmp are tried. */
int temporary_create(char path[PATH_MAX], struct error *error);

/* Whether no process recorded into it. */
bool temporary_is_empty(const char *path);

/* Remove the directory and the recordings in it. */
void temporary_remove(const char *path);

#endif
