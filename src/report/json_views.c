/* Parts of the JSON report that are rows of the profile's views (docs/PROFILE.md). */
#include <sqlite3.h>
#include <stdlib.h>

#include "attribution/heap_costs.h"
#include "report/json_parts.h"
#include "report/sql_json.h"
#include "store/store.h"

enum { OF_HEAP = REPORT_HEAP | REPORT_LEAKS | REPORT_PEAK };

static const struct part {
  const char *key, *sql;
  unsigned of; /* enum report_part bits; 0: of every report */
  bool is_one; /* a row is an object by itself */
} parts[] = {
    {"origin", "SELECT * FROM origin", .is_one = true},
    {"metrics", "SELECT * FROM metrics"},
    {"processes", "SELECT * FROM processes"},
    {"threads", "SELECT * FROM threads"},
    {"objects", "SELECT * FROM objects"},
    {"metric_functions", "SELECT * FROM metric_functions WHERE (SELECT count(*) > 1 FROM metrics)",
     REPORT_FLAT | REPORT_GRAPH},
    {"arcs", "SELECT * FROM arcs", REPORT_GRAPH},
    {"call_sites", "SELECT * FROM call_sites WHERE calls OR least_calls IS NOT NULL", REPORT_GRAPH},
    {"call_lines", "SELECT * FROM call_lines", REPORT_GRAPH},
    {"lines", "SELECT * FROM lines WHERE self_ns OR total_ns", REPORT_LINES},
    {"cost_centres", "SELECT * FROM cost_centres", REPORT_CENTRES},
    {"centre_contexts", "SELECT * FROM centre_contexts", REPORT_CENTRES},
    {"centre_functions", "SELECT * FROM centre_functions", REPORT_CENTRES},
    {"heap", "SELECT * FROM heap", OF_HEAP, .is_one = true},
    {"allocation_sites", "SELECT * FROM allocation_sites ORDER BY allocated_bytes DESC, id",
     OF_HEAP},
    {"heap_functions", "SELECT * FROM heap_functions", OF_HEAP},
    {"heap_kinds", "SELECT * FROM heap_kinds ORDER BY allocated_bytes DESC, id", OF_HEAP},
    {"heap_sizes", "SELECT * FROM heap_sizes ORDER BY least_bytes", OF_HEAP},
    {"heap_pools", "SELECT * FROM heap_pools ORDER BY allocated_bytes DESC, id", OF_HEAP},
    {"mappings", "SELECT * FROM mappings ORDER BY mapped_bytes DESC, id", OF_HEAP},
    {"closures", "SELECT * FROM closures", OF_HEAP},
    {"slices", "SELECT * FROM slices", REPORT_SERIES},
    {"marks", "SELECT * FROM marks ORDER BY time_ns, id", REPORT_SERIES},
    {"series", "SELECT * FROM series", REPORT_SERIES},
    {"slice_entries", "SELECT * FROM slice_entries", REPORT_SERIES},
    {"runs", "SELECT * FROM runs", REPORT_RUNS | REPORT_RANKS},
    {"messages", "SELECT * FROM messages", REPORT_RANKS},
    {"late_messages", "SELECT * FROM late_messages", REPORT_RANKS},
    {"message_matrix", "SELECT * FROM message_matrix", REPORT_RANKS},
};

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) memory_exhausted();
  return statement;
}

static void finish(sqlite3_stmt *statement) {
  if (sqlite3_finalize(statement) != SQLITE_OK) memory_exhausted();
}

static void write_part(struct json *json, sqlite3 *database, const struct part *part) {
  sqlite3_stmt *statement = prepare(database, part->sql);
  if (!part->is_one)
    sql_json_rows(json, part->key, statement);
  else if (sqlite3_step(statement) == SQLITE_ROW)
    sql_json_row(json, part->key, statement);
  finish(statement);
}

/* Those that cost or were called, as the flat profile has them. */
static void write_functions(struct json *json, sqlite3 *database,
                            const struct report_model *model) {
  uint32_t *order = model_sorted(model, SORT_SELF);
  sqlite3_stmt *statement = prepare(database, "SELECT * FROM functions WHERE id = ?1");
  json_open(json, "functions", '[');
  for (size_t i = 0; i < model->listed_count; i++) {
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)order[i] + 1);
    if (sqlite3_step(statement) == SQLITE_ROW) sql_json_row(json, NULL, statement);
    sqlite3_reset(statement);
  }
  json_close(json, ']');
  finish(statement);
  free(order);
}

void json_views(struct json *json, const struct report_model *model) {
  const struct profile *profile = model->profile;
  unsigned asked = model->options->parts;
  sqlite3 *database;
  struct error error;
  unsigned needed =
      STORE_FUNCTIONS | (asked & REPORT_GRAPH ? STORE_CALLS : 0) |
      (asked & REPORT_LINES ? STORE_LINES : 0) | (asked & REPORT_CENTRES ? STORE_CENTRES : 0) |
      (asked & OF_HEAP ? STORE_HEAP : 0) | (asked & REPORT_SERIES ? STORE_SERIES : 0) |
      (asked & REPORT_RANKS ? STORE_MESSAGES : 0);
  bool has_closures = heap_metric_in(profile, HEAP_OF_CLOSURES, HEAP_ALLOCATIONS) != NOTHING;
  if (asked & OF_HEAP && has_closures) needed |= STORE_SERIES | STORE_CENTRES; /* the ticks */
  if (store_select(profile, &model->options->selection, needed, &database, &error) != 0)
    memory_exhausted();
  if (asked & (REPORT_FLAT | REPORT_GRAPH | REPORT_TABLE)) write_functions(json, database, model);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!parts[i].of || parts[i].of & asked) write_part(json, database, &parts[i]);
  sqlite3_close(database);
}
