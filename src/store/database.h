/* SQLite with errors as values. */
#ifndef ASCRIBE_STORE_DATABASE_H
#define ASCRIBE_STORE_DATABASE_H

#include <sqlite3.h>

#include "base/error.h"

/* Open a file that nobody vouches for, to be read. To be closed with sqlite3_close, also after a
 * failure. */
int database_open(const char *path, sqlite3 **database, struct error *error);

/* 0, or -1 with SQLite's reason in *error, after "`path`: ". */
int database_run(sqlite3 *database, const char *path, const char *sql, struct error *error);
int database_prepare(sqlite3 *database, const char *path, const char *sql, sqlite3_stmt **statement,
                     struct error *error);
int database_error(sqlite3 *database, const char *path, struct error *error);

#endif
