#include "view/name_ranks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static void put(struct name_ranks *ranks, int64_t id, double rank) {
  if (id < 0 || id >= MOST_ID) return;
  ARRAY_ROOM(ranks->of, (size_t)id + 1);
  while (ranks->size <= (size_t)id)
    ranks->of[ranks->size++] = NAN;
  ranks->of[id] = rank;
}

static int prepare(struct workspace *workspace, sqlite3_stmt **rows, const size_t *profiles,
                   size_t count, enum naming naming, struct error *error) {
  static const char *const sql[] = {
      [NAMES_FUNCTION] = "SELECT %d AS side, id, name FROM p%d.raw_functions",
      [NAMES_FILE] = "SELECT %d AS side, id, path AS name FROM p%d.raw_files",
      [NAMES_KIND] = "SELECT %d AS side, id, name FROM p%d.raw_kinds"};
  char parts[2][80] = {"", ""};
  for (size_t i = 0; i < count; i++)
    snprintf(parts[i], sizeof parts[i], sql[naming], (int)i, (int)profiles[i]);
  return workspace_prepare(
      workspace, rows, error, "SELECT side, id, name < '%s' FROM (%s%s%s) ORDER BY name",
      naming_without(naming), parts[0], count > 1 ? " UNION ALL " : "", parts[1]);
}

int name_ranks_read(struct workspace *workspace, const size_t *profiles, size_t count,
                    enum naming naming, struct name_ranks *ranks, struct error *error) {
  sqlite3_stmt *rows = NULL;
  double rank = 0, none = *naming_without(naming) ? 0.5 : NAN;
  for (size_t i = 0; i < count; i++)
    ranks[i] = (struct name_ranks){0};
  int step = SQLITE_DONE, result = prepare(workspace, &rows, profiles, count, naming, error);
  while (result == 0 && (step = sqlite3_step(rows)) == SQLITE_ROW) {
    rank++;
    put(&ranks[sqlite3_column_int(rows, 0)], sqlite3_column_int64(rows, 1), rank);
    if (sqlite3_column_int(rows, 2)) none = rank + 0.5;
  }
  if (result == 0 && step != SQLITE_DONE) result = workspace_error(workspace, error);
  sqlite3_finalize(rows);
  for (size_t i = 0; i < count; i++)
    ranks[i].none = none;
  return result;
}

void name_ranks_free(struct name_ranks *ranks) {
  free(ranks->of);
  *ranks = (struct name_ranks){0};
}
