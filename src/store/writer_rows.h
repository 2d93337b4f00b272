/* Writing a profile file: what its parts share. */
#ifndef ASCRIBE_STORE_WRITER_ROWS_H
#define ASCRIBE_STORE_WRITER_ROWS_H

#include "attribution/books.h"
#include "attribution/centre_costs.h"
#include "attribution/costs.h"
#include "base/map.h"
#include "store/database.h"
#include "store/row.h"
#include "store/store.h"
#include "store/tables.h"

/* What a metric cost. */
struct measured {
  struct costs *costs;
  struct books books;
};

struct writer {
  sqlite3 *database;
  const char *path;
  const struct selection *selection; /* what of the profile counts; null: all */
  struct profile *profile; /* a view: of the metric that is being written, as the next two */
  const struct costs *costs;
  struct books books;
  struct measured *measured;    /* by metric */
  struct centre_costs *centres; /* of the first metric */
  const struct kept_sources *kept;
  struct amount *expression_self, *copy_self; /* by expression, by copy */
  const char **files;                         /* by id; in the order of their first use */
  size_t file_count;
  struct map file_ids;
  enum stored_table table; /* that is being written */
  const char *inserted;    /* the table that rows go to */
  int columns;             /* of it */
  struct row_out row;      /* and the rows before it that wait */
  int waiting;
  size_t waiting_bytes;      /* of texts of files */
  sqlite3_stmt *one, *batch; /* insert a row, or many; null: not yet */
  bool closed;               /* there are texts of files that are closed to others */
  struct error *error;
};

/* Write a table: row i is what `put` gives it, with writer_row and then one value for each column.
 * 0, or -1 with the error set; so below. */
int writer_table(struct writer *writer, const char *table, size_t count,
                 void (*put)(struct writer *writer, size_t i));

/* The same step by step, one table at a time: begin, then for each row: writer_row, values,
 * writer_write; then end, which hands `result` on. A row may be written only with later ones, or at
 * the end. */
int writer_begin(struct writer *writer, const char *table);
struct row_out *writer_row(struct writer *writer);
int writer_write(struct writer *writer);
int writer_end(struct writer *writer, int result);

void writer_put_ns(struct writer *writer, struct amount amount);
void writer_put_estimate(struct writer *writer, struct amount amount);        /* and its interval */
void writer_put_optional(struct writer *writer, const struct amount *amount); /* null: as nulls */
void writer_put_cost(struct writer *writer, struct amount self,
                     const struct amount *total);              /* estimates, each with its ticks */
void writer_put_file(struct writer *writer, const char *path); /* as its id; null as null */

void writer_put_interval(struct writer *writer, struct estimate estimate); /* its ends, or nulls */

/* What all metrics cost, before anything is written; and the one that is to be written. */
void writer_measure(struct writer *writer);
void writer_forget_measures(struct writer *writer);
void writer_of_metric(struct writer *writer, uint32_t metric);

/* A table with columns (tables.h), and the figures behind them. */
int writer_stored(struct writer *writer, enum stored_table table);

/* Other tables. */
int writer_contexts(struct writer *writer);
int writer_centre_contexts(struct writer *writer);
int writer_cycles(struct writer *writer);
int writer_ratios(struct writer *writer);
int writer_origin(struct writer *writer);
int writer_given(struct writer *writer);
int writer_sources(struct writer *writer);
int writer_metrics(struct writer *writer); /* after the first: functions and lines */
int writer_metric_centres(struct writer *writer);
int writer_metric_contexts(struct writer *writer);
int writer_heap(struct writer *writer);
int writer_call_lines(struct writer *writer); /* and the call sites that they are of */
int writer_source_lines(struct writer *writer);

/* Two columns, null where not known. */
void writer_put_range(struct row_out *out, bool known, uint64_t least, uint64_t most);

#endif
