/* The tables of a profile file, declared once: what makes them, fills them, reads them back and
 * checks what is read all follows from these columns. */
#ifndef ASCRIBE_STORE_TABLES_H
#define ASCRIBE_STORE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/* In the order in which they are read: what a row names is in a table before, or checked later. */
enum stored_table {
  TABLE_FILES,
  TABLE_OBJECTS,
  TABLE_FUNCTIONS,
  TABLE_PROCESSES,
  TABLE_SLICES,
  TABLE_MARKS,
  TABLE_KINDS,
  TABLE_METRICS,
  TABLE_MEASURES,
  TABLE_THREADS,
  TABLE_CONTEXTS,
  TABLE_CENTRES,
  TABLE_CENTRE_CONTEXTS,
  TABLE_CENTRE_TRANSITIONS,
  TABLE_SLICE_ENTRIES,
  TABLE_EXPANSIONS,
  TABLE_SITES,
  TABLE_TRANSITIONS,
  TABLE_COUNTS,
  TABLE_LINES,
  TABLE_STACKS,
  TABLE_TICKS,
  TABLE_INSTRUCTIONS,
  TABLE_SERIES,
  TABLE_EXPRESSIONS,
  TABLE_LINE_COUNTS,
  TABLE_COPIES,
  TABLE_CALL_PLACES,
  TABLE_POSSIBLE_CALLS,
  TABLE_MESSAGES,
  TABLE_MESSAGE_ENDS,
  TABLE_MESSAGE_DELAYS,
  TABLE_RUNS,
  TABLE_RUN_COSTS,
  TABLE_SPREADS,
  TABLE_SPREAD_SIZES,
  STORED_TABLES
};

/* What a member of a struct is in the file. */
enum column_kind {
  COLUMN_NUMBER,          /* an integer, an enum or a bool, from 0 to `limit` */
  COLUMN_OPTIONAL_NUMBER, /* of 64 bits; UINT64_MAX is null */
  COLUMN_REAL,            /* double, finite, from 0 */
  COLUMN_ID,              /* an index into the array of table `limit`, from 1 */
  COLUMN_OPTIONAL_ID,     /* NOTHING is null */
  COLUMN_TEXT,            /* in the profile's pool */
  COLUMN_OPTIONAL_TEXT,   /* the null pointer is null */
  COLUMN_FILE,            /* a text that raw_files has, by its id there */
  COLUMN_OPTIONAL_FILE,
};

struct column {
  const char *name;
  const char *older; /* that it had in earlier files; or null */
  enum column_kind kind;
  uint8_t bytes;   /* of the member */
  uint16_t offset; /* in the element */
  uint64_t limit;
};

/* Rows are the elements of an array of struct profile, or of its `centres`; or, one metric after
 * the other, of an array of struct profile_metric. */
struct table {
  const char *name;
  bool numbered;  /* the first column is `id`, from 1 without gaps */
  bool of_metric; /* the first column is `metric` */
  bool of_centres;
  bool newer;           /* not in all files that are read: those have no rows of it */
  const char *older[2]; /* of_metric: tables of the first and the second in files without metrics */
  const struct column *columns;
  size_t column_count;
  const char *figures; /* SQL of more columns behind them, for users and not read back; or null */
  size_t element;      /* bytes */
  size_t array, count; /* offsets in the struct: of the pointer and of the number */
};

/* Where the array of a table is; of the metric that figures of the profile are asked of. */
void **table_array(const struct table *table, struct profile *profile);
size_t *table_count(const struct table *table, struct profile *profile);

/* TABLE_FILES and those of contexts have no columns: files are texts of others, and contexts are
 * written as steps (load_contexts.c). */
extern const struct table stored_tables[STORED_TABLES];

/* CREATE TABLE of all, also of those for users alone; each ends with a semicolon. Of the process.
 */
const char *tables_sql(void);

#endif
