/* Where the compiled form of Ascribe's files for Chez Scheme is kept between runs. */
#ifndef ASCRIBE_CLI_CHEZ_CACHE_H
#define ASCRIBE_CLI_CHEZ_CACHE_H

#include <limits.h>
#include <stdbool.h>

enum { CHEZ_CACHE_KEY = 64 };

/* How the name of the compiled file of the sources in `directory` begins, in the user's cache
 * (XDG_CACHE_HOME or ~/.cache, ascribe), which is made if it is not there; and a key that changes
 * with these sources.  -1: it cannot be made, or somebody else may write to it or to its parent
 * directory. */
int chez_cache_find(const char *directory, char path[PATH_MAX], char key[CHEZ_CACHE_KEY]);

/* Whether compiled files are to be written there. Removes those of other versions of the sources.
 * `path` is chez_cache_find's. */
bool chez_cache_is_empty(const char *path);

#endif
