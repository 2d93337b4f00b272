#include "view/rank_figures.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/json_parts.h"
#include "report/sql_json.h"
#include "view/rank_files.h"
#include "view/timeline.h"

/* ---- of MPI ---- */

static int prepare_messages(struct view *view, sqlite3_stmt **rows, struct error *error) {
  return workspace_prepare(
      &view->workspace, rows, error,
      "SELECT r.id AS run, total(m.calls) AS calls, total(m.sent) AS sent,"
      " total(iif(m.kind <> 4, m.sent_bytes, 0)) AS sent_bytes, total(m.received) AS received,"
      " total(iif(m.kind <> 4, m.received_bytes, 0)) AS received_bytes, total(m.elapsed_ns) AS "
      "elapsed_ns,"
      " total(iif(m.kind IN (1, 2), m.elapsed_ns, 0)) AS waiting_ns"
      " FROM p1.runs r JOIN p1.raw_processes p ON p.run = r.id"
      " LEFT JOIN p1.raw_messages m ON m.process = p.id"
      "  AND (?1 = 0 OR m.line IN (SELECT id FROM p1.raw_lines WHERE function = ?1))"
      " WHERE r.rank IS NOT NULL GROUP BY r.id ORDER BY r.rank, r.id");
}

/* ---- of a metric ---- */

struct names {
  char **names;
  size_t count;
};

static void read_names(const char *folder, struct names *names) {
  DIR *directory = opendir(folder);
  *names = (struct names){0};
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    ARRAY_GROW(names->names, names->count);
    names->names[names->count++] = memory_text(entry->d_name);
  }
  if (directory) closedir(directory);
}

static void free_names(struct names *names) {
  for (size_t i = 0; i < names->count; i++)
    free(names->names[i]);
  free(names->names);
}

struct search {
  struct workspace *workspace;
  char *folder; /* of the job's profile */
  struct names names;
  const char *metric;
  int64_t function; /* 0: the whole */
};

/* Whether the file is the profile of this run: then its figures are in rank_figure. */
static bool take_file(struct search *search, const char *name, int64_t run, struct error *error) {
  struct workspace *workspace = search->workspace;
  char *path = memory_printed("%s%s", search->folder, name), *shown = workspace->metric;
  workspace->metric = NULL; /* others than the first are in the file, too */
  int attached = workspace_attach_as(workspace, "rank", path, error);
  workspace->metric = shown;
  free(path);
  if (attached != 0) return false;
  int taken =
      search->function
          ? workspace_run(
                workspace, error,
                "INSERT INTO rank_figure SELECT r.id, total(m.self),"
                " (total(m.self_high) - total(m.self_low)) / 2,"
                " max(iif(m.function IS NULL, 0, m.total)),"
                " coalesce((max(m.total_high) - max(m.total_low)) / 2, 0) FROM p1.runs r"
                " JOIN rank.runs o ON o.rank = r.rank AND o.started_ns = r.started_ns"
                " JOIN p1.functions f ON f.id = %lld LEFT JOIN rank.functions h"
                "  ON h.name = f.name AND h.file IS f.file AND h.object IS f.object"
                " LEFT JOIN rank.metric_functions m ON m.function = h.id AND m.metric = %Q"
                " WHERE r.id = %lld AND (SELECT count(*) FROM rank.runs) = 1 GROUP BY r.id",
                (long long)search->function, search->metric, (long long)run)
          : workspace_run(workspace, error,
                          "INSERT INTO rank_figure SELECT r.id, m.whole, 0, m.whole, 0"
                          " FROM p1.runs r JOIN rank.runs o ON o.rank = r.rank"
                          "  AND o.started_ns = r.started_ns JOIN rank.metrics m ON m.name = %Q"
                          " WHERE r.id = %lld AND (SELECT count(*) FROM rank.runs) = 1",
                          search->metric, (long long)run);
  bool found = taken == 0 && sqlite3_changes(workspace->database) > 0;
  struct error ignored;
  return workspace_run(workspace, &ignored, "DETACH rank") == 0 && found;
}

struct rank_run {
  int64_t run;
  uint32_t rank;
};

/* The array is the caller's, also after a failure: files are attached between its statements only.
 */
static int read_ranks(struct workspace *workspace, struct rank_run **ranks, size_t *count,
                      struct error *error) {
  sqlite3_stmt *rows = NULL;
  int step;
  *ranks = NULL;
  *count = 0;
  if (workspace_prepare(workspace, &rows, error,
                        "SELECT id, rank FROM p1.runs WHERE rank IS NOT NULL") != 0)
    return -1;
  while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
    ARRAY_GROW(*ranks, *count);
    (*ranks)[(*count)++] =
        (struct rank_run){sqlite3_column_int64(rows, 0), (uint32_t)sqlite3_column_int64(rows, 1)};
  }
  sqlite3_finalize(rows);
  return step == SQLITE_DONE ? 0 : workspace_error(workspace, error);
}

static void take_rank(struct search *search, const struct rank_run *rank) {
  struct error ignored;
  bool found = false;
  for (size_t i = 0; !found && i < search->names.count; i++)
    found = rank_files_names(search->names.names[i], rank->rank) &&
            take_file(search, search->names.names[i], rank->run, &ignored);
}

static int take_ranks(struct search *search, struct error *error) {
  struct rank_run *ranks;
  size_t count;
  int result = read_ranks(search->workspace, &ranks, &count, error);
  if (result == 0)
    result = workspace_run(search->workspace, error,
                           "CREATE TEMP TABLE IF NOT EXISTS rank_figure(run INTEGER PRIMARY KEY,"
                           " self REAL, self_uncertainty REAL, total REAL, total_uncertainty REAL);"
                           "DELETE FROM rank_figure");
  for (size_t i = 0; result == 0 && i < count; i++)
    take_rank(search, &ranks[i]);
  free(ranks);
  return result;
}

static int prepare_metric(struct view *view, const char *metric, int64_t function,
                          sqlite3_stmt **rows, struct error *error) {
  const char *job = timeline_path(view), *slash = job ? strrchr(job, '/') : NULL;
  if (!job) return error_set(error, "ranks of a recording are not kept apart");
  struct search search = {.workspace = &view->workspace,
                          .folder = slash ? memory_text_part(job, (size_t)(slash + 1 - job))
                                          : memory_text("./"),
                          .metric = metric,
                          .function = function};
  read_names(search.folder, &search.names);
  int result = take_ranks(&search, error);
  free_names(&search.names);
  free(search.folder);
  return result != 0
             ? -1
             : workspace_prepare(&view->workspace, rows, error,
                                 "SELECT r.id AS run, f.self AS self_ns,"
                                 " f.self_uncertainty AS self_uncertainty_ns, f.total AS total_ns,"
                                 " f.total_uncertainty AS total_uncertainty_ns FROM p1.runs r"
                                 " LEFT JOIN rank_figure f ON f.run = r.id WHERE r.rank IS NOT NULL"
                                 " ORDER BY r.rank, r.id");
}

/* ---- the answers ---- */

int rank_figures_answer(struct view *view, const struct parameters *parameters, FILE *out,
                        struct error *error) {
  const char *figure = parameters_text(parameters, "figure");
  int64_t function = parameters_number(parameters, "id", INT64_MAX, 0);
  sqlite3_stmt *rows = NULL;
  if (!figure) return error_set(error, "figure: a metric, or MPI");
  bool is_mpi = strcmp(figure, "MPI") == 0;
  if (is_mpi ? prepare_messages(view, &rows, error)
             : prepare_metric(view, figure, function, &rows, error))
    return -1;
  if (is_mpi) sqlite3_bind_int64(rows, 1, function);
  struct json json = {.out = out, .first = true};
  json_open(&json, NULL, '{');
  int result =
      sql_json_table(&json, rows) == SQLITE_DONE ? 0 : workspace_error(&view->workspace, error);
  json_close(&json, '}');
  sqlite3_finalize(rows);
  return result;
}

int rank_groups_answer(struct view *view, FILE *out, struct error *error) {
  const struct profile *profile = view_in_memory(view, 1, error);
  if (!profile) return -1;
  struct json json = {.out = out, .first = true};
  json_open(&json, NULL, '{');
  json_run_groups(&json, profile);
  json_close(&json, '}');
  return 0;
}
