/* A page for the browser that leads to an address, so that the address stands in no command line:
 * those are seen by every user of the machine. */
#ifndef ASCRIBE_CLI_PRIVATE_PAGE_H
#define ASCRIBE_CLI_PRIVATE_PAGE_H

#include <limits.h>

#include "base/error.h"

/* Write it, mode 0600, in a directory of its own, mode 0700, in XDG_RUNTIME_DIR or TMPDIR or /tmp.
 * `address` has no characters that HTML gives a meaning. */
int private_page_create(const char *address, char path[PATH_MAX], struct error *error);

/* Remove both. */
void private_page_remove(const char *path);

#endif
