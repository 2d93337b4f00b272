#include "store/writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "attribution/counts/copies.h"
#include "attribution/counts/expressions.h"
#include "attribution/run_costs.h"
#include "attribution/unattributed.h"
#include "store/schema.h"
#include "store/writer_rows.h"

static void put_arc_cost(struct writer *writer, const struct arc_cost *arc) {
  enum { COLUMNS = 7 };
  for (int i = 0; arc->cost_unknown && i < COLUMNS; i++)
    put_null(&writer->row);
  if (arc->cost_unknown) return;
  struct amount in = amount_sum(arc->in_self, arc->in_child);
  writer_put_ns(writer, arc->out_self);
  writer_put_ns(writer, arc->out_child);
  writer_put_ns(writer, arc->in_self);
  writer_put_ns(writer, arc->in_child);
  writer_put_interval(writer, books_estimate(&writer->books, in));
  put_number(&writer->row, in.ticks);
}

static void put_arc(struct writer *writer, size_t i) {
  const struct arc_cost *arc = &writer->costs->arcs[i];
  struct row_out *out = writer_row(writer);
  put_id(out, arc->caller);
  put_id(out, arc->callee);
  put_calls(out, arc_counted(writer->profile, arc), arc->calls);
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

/* ---- tables ---- */

static int write_table(struct writer *writer, enum stored_table table) {
  if (table == TABLE_FILES) return 0; /* last: they are known when all that names them is written */
  return table == TABLE_CONTEXTS ? writer_contexts(writer) : writer_stored(writer, table);
}

static int write_tables(struct writer *writer) {
  static int (*const steps[])(struct writer *) = {writer_origin,     writer_given,
                                                  writer_metrics,    writer_cycles,
                                                  writer_call_lines, write_unattributed};
  for (int table = 0; table < STORED_TABLES; table++)
    if (write_table(writer, table) != 0) return -1;
  if (writer_table(writer, "raw_arcs", writer->costs->arc_count, put_arc) != 0) return -1;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (steps[i](writer) != 0) return -1;
  if (writer_table(writer, "raw_files", writer->file_count, put_file) != 0) return -1;
  return writer_sources(writer);
}

static int write_all(struct writer *writer) {
  char versions[120];
  snprintf(versions, sizeof versions, "PRAGMA application_id=%d;PRAGMA user_version=%d;",
           PROFILE_APPLICATION_ID, PROFILE_SCHEMA_VERSION);
  const char *before[] = {"PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
                          "PRAGMA locking_mode=EXCLUSIVE;PRAGMA temp_store=MEMORY;",
                          versions, "BEGIN;", tables_sql()};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    if (database_run(writer->database, writer->path, before[i], writer->error) != 0) return -1;
  if (write_tables(writer) != 0) return -1;
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

int writer_fill(sqlite3 *database, const char *path, const struct profile *profile,
                const struct kept_sources *kept, bool *closed, struct error *error) {
  struct profile_run run;
  struct profile shown = with_run(profile, &run);
  struct writer writer = {.database = database,
                          .path = path,
                          .profile = &shown,
                          .expression_self = expressions_self(profile),
                          .copy_self = copies_self(profile),
                          .kept = kept,
                          .error = error};
  writer_measure(&writer);
  int result = write_all(&writer);
  *closed = writer.closed;
  free(writer.expression_self);
  free(writer.copy_self);
  free(writer.files);
  map_free(&writer.file_ids);
  writer_forget_measures(&writer);
  return result;
}
