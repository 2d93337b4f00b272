/* SQLite with errors as values, and bounds for files that are made to exceed them. */
#ifndef ASCRIBE_STORE_DATABASE_H
#define ASCRIBE_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { LONGEST_TEXT = 64 << 20 };

/* Bound what files that nobody vouches for may ask of a connection: texts of 64 MB, and 10 s of a
 * thread's CPU time without a row. */
void database_bound(sqlite3 *database);

/* Queries of this thread end with SQLITE_INTERRUPT when `is_gone` says so of who asked for them,
 * which is looked at some ten times a second; null: they go on. */
void database_ask_for(bool (*is_gone)(void *at), void *at);

/* The file's size (0: unknown). Larger files may take longer, and SQLite more memory than 256 MB.
 */
int64_t database_expect(const char *path);

/* Open a file that nobody vouches for, to be read. To be closed with sqlite3_close, also after a
 * failure.  Files beside it (journals) are neither read nor made: a profile is moved into place
 * whole. */
int database_open(const char *path, sqlite3 **database, struct error *error);

/* The path as SQLite's URI for the same, malloc'ed. */
char *database_uri(const char *path);

/* What database_check says of a file that has not all columns, tables or views of this version, or
 * has others: its tables can be read (store_load), its views are not to be asked. */
enum { DATABASE_OTHER_FORM = 1 };

/* Whether a file (`schema` is "main" or the name that it is attached as) is a profile of a version
 * that can be read, and as this one makes them: the tables raw_* hold values and nothing that is
 * worked out, the views are those of schema.h, and there are no triggers. Whoever makes a view of
 * his own in their place can let a query run for ever. 0, DATABASE_OTHER_FORM, or -1 with the error
 * set, which names `path`. */
int database_check(sqlite3 *database, const char *schema, const char *path, struct error *error);

/* 0, or -1 with SQLite's reason in *error, after "`path`: ". */
int database_run(sqlite3 *database, const char *path, const char *sql, struct error *error);
int database_prepare(sqlite3 *database, const char *path, const char *sql, sqlite3_stmt **statement,
                     struct error *error);
/* As sqlite3_step, with the time of a row anew; database_begin starts it for others. */
void database_begin(void);
int database_step(sqlite3_stmt *statement);
int database_error(sqlite3 *database, const char *path, struct error *error);

#endif
