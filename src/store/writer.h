/* The tables of a profile file. */
#ifndef ASCRIBE_STORE_WRITER_H
#define ASCRIBE_STORE_WRITER_H

#include <sqlite3.h>
#include <stdbool.h>

#include "store/store.h"

/* Fill an empty database with the profile, in one transaction. `path` is for messages. `closed`:
 * it has texts of files that are closed to others. */
int writer_fill(sqlite3 *database, const char *path, const struct profile *profile,
                const struct kept_sources *kept, bool *closed, struct error *error);

#endif
