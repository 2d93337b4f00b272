/* Reading a profile file: what its parts share. */
#ifndef ASCRIBE_STORE_LOADER_H
#define ASCRIBE_STORE_LOADER_H

#include "profile/profile.h"
#include "store/database.h"
#include "store/row.h"
#include "store/tables.h"

struct loader {
  sqlite3 *database;
  const char *path;
  struct error *error;
  struct profile *profile;
  bool series;       /* they are wanted, too */
  bool code;         /* only what machine code needs is wanted */
  int64_t rows_most; /* of a table: a row takes some bytes of the file */
  const char **files;
  size_t file_count;
  enum stored_table table;     /* that is being read, */
  struct profile *contexts_of; /* that are being read: of the profile, or of its centres */
  uint32_t *marked_in;         /* by function: the last context (plus one) that marked it */
  uint32_t *history;           /* of the context being read */
  uint64_t history_entries;    /* of all contexts so far */
};

/* The error of a file that says what cannot be. */
int loader_damaged(const struct loader *loader);

/* Hand every row of a query to `take`, which sets row->damaged where a value cannot be. */
int loader_rows(struct loader *loader, const char *sql,
                void (*take)(struct loader *loader, struct row_in *row));

/* Whether the file has this column of a table; null: the table. */
bool loader_has(const struct loader *loader, const char *table, const char *column);

/* Ids are dense: the row's id must be the next. */
void loader_expect_id(struct row_in *row, size_t next);

/* All contexts, or those of cost centres; their functions and the threads have been read. */
int loader_contexts(struct loader *loader);
int loader_centre_contexts(struct loader *loader);

/* Whether a table is not wanted. */
bool loader_leaves_out(const struct loader *loader, enum stored_table table);

/* All rows of a table with columns into the profile; what they name earlier in the file is
 * checked, and so is each row's own sense. A column that the file has not is as if it
 * had never been used. */
int loader_table(struct loader *loader, enum stored_table table);

/* That what rows name later in the file is there. All tables have been read. */
int loader_check_later(const struct loader *loader);

/* The last part of reading: origin, figures that came with the profile, and waits of processes. */
int loader_given(struct loader *loader);

/* Two columns: ticks, and what they stand for. */
struct amount get_amount(struct row_in *row);

#endif
