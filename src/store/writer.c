#include "store/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/copies.h"
#include "attribution/counts/expressions.h"
#include "attribution/run_costs.h"
#include "attribution/unattributed.h"
#include "store/schema.h"
#include "store/writer_rows.h"

static void put_arc_cost(struct writer *writer, const struct arc_cost *arc) {
  enum { COLUMNS = 9 };
  for (int i = 0; arc->cost_unknown && i < COLUMNS; i++)
    put_null(&writer->row);
  if (arc->cost_unknown) return;
  struct amount in = amount_sum(arc->in_self, arc->in_child);
  struct amount out = amount_sum(arc->out_self, arc->out_child);
  writer_put_ns(writer, arc->out_self);
  writer_put_ns(writer, arc->out_child);
  writer_put_ns(writer, arc->in_self);
  writer_put_ns(writer, arc->in_child);
  writer_put_interval(writer, books_estimate(&writer->books, out));
  writer_put_interval(writer, books_estimate(&writer->books, in));
  put_number(&writer->row, in.ticks);
}

static void put_arc(struct writer *writer, size_t i) {
  const struct arc_cost *arc = &writer->costs->arcs[i];
  struct row_out *out = writer_row(writer);
  put_id(out, arc->caller);
  put_id(out, arc->callee);
  put_calls(out, costs_arc_counted(writer->profile, writer->costs, arc), arc->calls);
  put_number(out, arc->tail_calls);
  put_number(out, arc->doubtful_calls);
  put_arc_cost(writer, arc);
  writer_put_range(out, arc->solved, arc->least_calls, arc->most_calls);
}

static int write_unattributed(struct writer *writer) {
  int result = writer_begin(writer, "raw_unattributed");
  for (int kind = 0; result == 0 && kind < UNATTRIBUTED_KINDS; kind++) {
    struct unattributed part = unattributed_of(&writer->books, (enum unattributed_kind)kind);
    if (!part.time.ns) continue;
    put_text(writer_row(writer), part.name);
    put_number(&writer->row, part.time.ns);
    writer_put_interval(writer, part.time);
    put_number(&writer->row, part.ticks);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static void put_file(struct writer *writer, size_t i) {
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_text(out, writer->files[i]);
}

static int write_arcs(struct writer *writer) {
  return writer_table(writer, "raw_arcs", writer->costs->arc_count, put_arc);
}

static void put_centre_function(struct writer *writer, size_t i) {
  const struct centre_function *pair = &writer->centres->functions[i];
  struct row_out *out = writer_row(writer);
  put_id(out, pair->centre);
  put_id(out, pair->function);
  writer_put_estimate(writer, pair->self);
  put_number(out, pair->self.ticks);
}

/* Of a program with cost centres. */
static int write_centre_functions(struct writer *writer) {
  size_t count = writer->centres->view.function_count ? writer->centres->function_count : 0;
  return writer_table(writer, "raw_centre_functions", count, put_centre_function);
}

/* ---- tables ---- */

enum {
  EACH = STORE_FUNCTIONS | STORE_CALLS | STORE_LINES | STORE_CENTRES | STORE_HEAP | STORE_SERIES |
         STORE_MESSAGES,
  WHOLE = 1 << 8
};

/* By stored table: the parts that need it; none: only the whole does. */
static const unsigned needed_by[STORED_TABLES] = {
    [TABLE_OBJECTS] = EACH,
    [TABLE_FUNCTIONS] = EACH,
    [TABLE_PROCESSES] = EACH,
    [TABLE_METRICS] = EACH,
    [TABLE_MEASURES] = EACH,
    [TABLE_THREADS] = EACH,
    [TABLE_RUNS] = EACH,
    [TABLE_CENTRES] = STORE_CENTRES,
    [TABLE_CENTRE_CONTEXTS] = STORE_CENTRES,
    [TABLE_SITES] = STORE_CALLS,
    [TABLE_EXPANSIONS] = STORE_CALLS,
    [TABLE_POSSIBLE_CALLS] = STORE_CALLS,
    [TABLE_SLICES] = STORE_SERIES,
    [TABLE_MARKS] = STORE_SERIES,
    [TABLE_KINDS] = STORE_HEAP | STORE_SERIES,
    [TABLE_TICKS] = STORE_SERIES,
    [TABLE_SERIES] = STORE_SERIES,
    [TABLE_SLICE_ENTRIES] = STORE_SERIES,
    [TABLE_CENTRE_TRANSITIONS] = STORE_SERIES,
    [TABLE_LINES] = STORE_CALLS | STORE_LINES | STORE_HEAP | STORE_SERIES | STORE_MESSAGES,
    [TABLE_MESSAGES] = STORE_MESSAGES,
    [TABLE_MESSAGE_DELAYS] = STORE_MESSAGES};

/* What follows from them. */
static const struct {
  unsigned needed_by;
  int (*write)(struct writer *);
} steps[] = {{STORE_CENTRES, write_centre_functions},
             {STORE_CENTRES, writer_metric_centres},
             {STORE_CALLS, write_arcs},
             {0, writer_ratios},
             {EACH, writer_origin},
             {0, writer_given},
             {STORE_HEAP, writer_heap},
             {EACH, writer_metrics},
             {0, writer_metric_contexts},
             {0, writer_cycles},
             {STORE_CALLS, writer_call_lines},
             {0, writer_source_lines},
             {0, write_unattributed}};

static int write_table(struct writer *writer, enum stored_table table) {
  if (table == TABLE_CENTRE_CONTEXTS) return writer_centre_contexts(writer);
  return table == TABLE_CONTEXTS ? writer_contexts(writer) : writer_stored(writer, table);
}

/* Last: they are known when all that names them is written. */
static int write_files(struct writer *writer, unsigned parts) {
  if (writer_table(writer, "raw_files", writer->file_count, put_file) != 0) return -1;
  return parts & WHOLE ? writer_sources(writer) : 0;
}

static int write_tables(struct writer *writer, unsigned parts) {
  for (int table = TABLE_FILES + 1; table < STORED_TABLES; table++)
    if ((needed_by[table] | WHOLE) & parts && write_table(writer, table) != 0) return -1;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if ((steps[i].needed_by | WHOLE) & parts && steps[i].write(writer) != 0) return -1;
  return write_files(writer, parts);
}

static int write_all(struct writer *writer, unsigned parts) {
  char versions[120];
  snprintf(versions, sizeof versions, "PRAGMA application_id=%d;PRAGMA user_version=%d;",
           PROFILE_APPLICATION_ID, PROFILE_SCHEMA_VERSION);
  const char *before[] = {"PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
                          "PRAGMA locking_mode=EXCLUSIVE;PRAGMA temp_store=MEMORY;",
                          versions, "BEGIN;", tables_sql()};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    if (database_run(writer->database, writer->path, before[i], writer->error) != 0) return -1;
  if (write_tables(writer, parts) != 0) return -1;
  if (database_run(writer->database, writer->path, schema_views, writer->error) != 0) return -1;
  return database_run(writer->database, writer->path, "COMMIT;", writer->error);
}

/* A profile that is one run has a row of it, too. */
static struct profile with_run(const struct profile *profile, struct profile_run *run) {
  struct profile shown = *profile;
  if (shown.run_count) return shown;
  runs_make(profile, profile->pool, run);
  shown.runs = run;
  shown.run_count = 1;
  return shown;
}

/* The caller gives the rest of *writer. */
static int fill(struct writer *writer, const struct profile *profile, unsigned parts) {
  struct profile_run run;
  struct profile shown = with_run(profile, &run);
  writer->profile = &shown;
  writer_measure(writer);
  int result = write_all(writer, parts);
  free(writer->files);
  map_free(&writer->file_ids);
  writer_forget_measures(writer);
  return result;
}

int writer_fill(sqlite3 *database, const char *path, const struct profile *profile,
                const struct kept_sources *kept, bool *closed, struct error *error) {
  struct writer writer = {.database = database,
                          .path = path,
                          .expression_self = expressions_self(profile),
                          .copy_self = copies_self(profile),
                          .kept = kept,
                          .error = error};
  int result = fill(&writer, profile, WHOLE);
  *closed = writer.closed;
  free(writer.expression_self);
  free(writer.copy_self);
  return result;
}

/* The metric that figures are asked of is the first of the rows. */
static struct profile_metric *metrics_of_view(const struct profile *profile) {
  struct profile_metric *metrics = memory_zeroed(profile->metric_count, sizeof *metrics);
  memcpy(metrics, profile->metrics, profile->metric_count * sizeof *metrics);
  metrics[0] = profile->metrics[profile->metric];
  metrics[profile->metric] = profile->metrics[0];
  return metrics;
}

int store_select(const struct profile *profile, const struct selection *selection, unsigned parts,
                 sqlite3 **database, struct error *error) {
  struct writer writer = {.path = "the report", .selection = selection, .error = error};
  if (sqlite3_open(":memory:", database) != SQLITE_OK)
    return database_error(*database, writer.path, error);
  struct profile view = *profile;
  view.metric = 0;
  view.metrics = metrics_of_view(profile);
  writer.database = *database;
  int result = fill(&writer, &view, parts);
  free(view.metrics);
  return result;
}
