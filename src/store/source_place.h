/* Whether a file may be source, by where it lies and what it is called. */
#ifndef ASCRIBE_STORE_SOURCE_PLACE_H
#define ASCRIBE_STORE_SOURCE_PLACE_H

#include <stdbool.h>

/* Whether the name ends as source in a known language does. */
bool source_place_is_named(const char *path);

/* False for the system's own files (/etc, /proc, /sys, /dev) and for those in places where users
 * have keys, passwords and settings (~/.ssh, ~/.config, ~/.netrc). `path` is absolute and has no
 * links in it. */
bool source_place_is_plausible(const char *path);

#endif
