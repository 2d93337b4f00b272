#include "view/id_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void id_set_add(struct id_set *set, int64_t id) {
  if (id < 0 || id >= MOST_ID) return;
  if ((size_t)id >= set->size) {
    ARRAY_ROOM(set->has, (size_t)id + 1);
    memset(set->has + set->size, 0, ((size_t)id + 1 - set->size) * sizeof *set->has);
    set->size = (size_t)id + 1;
  }
  set->has[id] = true;
}

void id_set_add_list(struct id_set *set, const char *ids) {
  for (char *end; *ids; ids = *end ? end + 1 : end) {
    long long id = strtoll(ids, &end, 10);
    if (end != ids) id_set_add(set, id);
  }
}

/* The ids of the statement's rows. */
static int add_rows(struct id_set *set, struct workspace *workspace, sqlite3_stmt *rows,
                    struct error *error) {
  int step;
  while ((step = sqlite3_step(rows)) == SQLITE_ROW)
    id_set_add(set, sqlite3_column_int64(rows, 0));
  return step == SQLITE_DONE ? 0 : workspace_error(workspace, error);
}

static int add_named(struct id_set *set, struct workspace *workspace, size_t profile,
                     const char *sql, const char *text, struct error *error) {
  sqlite3_stmt *rows = NULL;
  if (workspace_prepare(workspace, &rows, error, sql, (int)profile) != 0) return -1;
  sqlite3_bind_text(rows, 1, text, -1, SQLITE_STATIC);
  int result = add_rows(set, workspace, rows, error);
  sqlite3_finalize(rows);
  return result;
}

int id_set_add_filtered(struct id_set *set, struct workspace *workspace, size_t profile,
                        enum naming naming, const char *filter, struct error *error) {
  static const char *const sql[] = {
      [NAMES_FUNCTION] = "SELECT id FROM p%d.raw_functions WHERE instr(lower(name), lower(?1)) > 0",
      [NAMES_FILE] = "SELECT id FROM p%d.raw_files WHERE instr(lower(path), lower(?1)) > 0",
      [NAMES_KIND] = "SELECT id FROM p%d.raw_kinds WHERE instr(lower(name), lower(?1)) > 0"};
  set->none = strcasestr(naming_without(naming), filter);
  return add_named(set, workspace, profile, sql[naming], filter, error);
}

int id_set_add_path(struct id_set *set, struct workspace *workspace, size_t profile,
                    const char *path, struct error *error) {
  return add_named(set, workspace, profile, "SELECT id FROM p%d.raw_files WHERE path = ?1", path,
                   error);
}

void id_set_free(struct id_set *set) {
  free(set->has);
  *set = (struct id_set){0};
}
