#include "compare/compared.h"

#include <stdlib.h>

#include "compare/ids.h"

void compared_free(struct compared *compared) {
  entry_pairs_free(&compared->pairs);
  free(compared->values);
  *compared = (struct compared){0};
}

/* What only b has is last. */
static int64_t first_id(const void *pairs, size_t place) {
  int64_t id = ((const struct entry_pair *)pairs)[place].a;
  return id == ENTRY_NONE ? INT64_MAX : id;
}

size_t compared_find(const struct compared *compared, int64_t id) {
  const struct entry_pairs *pairs = &compared->pairs;
  return id == ENTRY_NONE ? pairs->count : ids_find_by(pairs->items, pairs->count, id, first_id);
}

/* ---- as a table ---- */

static void bind_id(sqlite3_stmt *insert, int parameter, int64_t id) {
  if (id == ENTRY_NONE)
    sqlite3_bind_null(insert, parameter);
  else
    sqlite3_bind_int64(insert, parameter, id);
}

static void bind_truth(sqlite3_stmt *insert, int parameter, signed char truth) {
  if (truth == TRUTH_UNKNOWN)
    sqlite3_bind_null(insert, parameter);
  else
    sqlite3_bind_int(insert, parameter, truth);
}

static int put_pair(struct workspace *workspace, sqlite3_stmt *insert,
                    const struct compared *compared, size_t place, struct error *error) {
  const struct compared_value *value = &compared->values[place];
  bind_id(insert, 1, compared->pairs.items[place].a);
  bind_id(insert, 2, compared->pairs.items[place].b);
  sqlite3_bind_double(insert, 3, value->value);
  sqlite3_bind_double(insert, 4, value->value - value->below);
  sqlite3_bind_double(insert, 5, value->value + value->above);
  bind_truth(insert, 6, value->stands_out);
  bind_truth(insert, 7, value->failed);
  int result = sqlite3_step(insert) == SQLITE_DONE ? 0 : workspace_error(workspace, error);
  sqlite3_reset(insert);
  return result;
}

int compared_table(struct workspace *workspace, const struct compared *compared,
                   const uint32_t *which, size_t count, struct error *error) {
  sqlite3_stmt *insert = NULL;
  if (!which) count = compared->pairs.count;
  if (workspace_run(workspace, error,
                    "DROP TABLE IF EXISTS compared;"
                    "CREATE TABLE compared(a INTEGER, b INTEGER, value REAL, low REAL, high REAL,"
                    " stands_out INTEGER, failed INTEGER);"
                    "DROP TABLE IF EXISTS comparing;"
                    "CREATE TABLE comparing(neutral REAL, judged_together INTEGER);"
                    "INSERT INTO comparing VALUES(%!.17g, %lld); BEGIN",
                    compared->neutral, (long long)compared->judged_together) != 0)
    return -1;
  int result =
      workspace_prepare(workspace, &insert, error, "INSERT INTO compared VALUES(?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < count; i++)
    result = put_pair(workspace, insert, compared, which ? which[i] : i, error);
  sqlite3_finalize(insert);
  sqlite3_exec(workspace->database, result == 0 ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
  if (result != 0) return -1;
  return workspace_run(workspace, error, "CREATE INDEX compared_a ON compared(a)");
}
