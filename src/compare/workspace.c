#include "compare/workspace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base_name.h"
#include "compare/excerpt.h"
#include "store/database.h"
#include "store/store.h"

/* base_name('/a/b') is 'b': objects and sources of two builds lie in different folders. */
static void take_base_name(sqlite3_context *context, int count, sqlite3_value **values) {
  const char *path = (const char *)sqlite3_value_text(values[0]);
  if (path) sqlite3_result_text(context, base_name(path), -1, SQLITE_TRANSIENT);
}

int workspace_error(struct workspace *workspace, struct error *error) {
  const char *reason = sqlite3_errmsg(workspace->database);
  int code = sqlite3_errcode(workspace->database) & 0xff;
  if (code == SQLITE_INTERRUPT)
    return error_set(error, "the profile asks for too much work: it is damaged or was made to");
  if (code == SQLITE_CONSTRAINT || code == SQLITE_CORRUPT)
    return error_set(error, "the profile is damaged (%s): record again", reason);
  return error_set(error, "%s", reason);
}

int workspace_open(struct workspace *workspace, struct error *error) {
  *workspace = (struct workspace){0};
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_URI |
              SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(":memory:", &workspace->database, flags, NULL) != SQLITE_OK)
    return workspace_error(workspace, error);
  database_bound(workspace->database);
  int shape = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  if (sqlite3_create_function(workspace->database, "base_name", 1, shape, NULL, take_base_name,
                              NULL, NULL) != SQLITE_OK ||
      excerpt_add(workspace->database) != SQLITE_OK)
    return workspace_error(workspace, error);
  return workspace_run(
      workspace, error,
      "PRAGMA temp_store=MEMORY;"
      "CREATE TABLE profile(id INTEGER PRIMARY KEY, path TEXT, unit TEXT,"
      " scale REAL, whole REAL, ticks INTEGER, unseen REAL, counts INTEGER,"
      " executions INTEGER, sampled REAL, runs INTEGER, run_deviation REAL, evidence TEXT);");
}

void workspace_close(struct workspace *workspace) {
  sqlite3_close_v2(workspace->database);
  workspace->database = NULL;
  for (size_t i = 0; i < WORKSPACE_MOST; i++)
    free(workspace->paths[i]), free(workspace->files[i]), profile_free(workspace->made[i]);
  free(workspace->metric);
}

static int prepare(struct workspace *workspace, sqlite3_stmt **statement, struct error *error,
                   const char *sql, va_list values) {
  char *text = sqlite3_vmprintf(sql, values);
  if (!text) return error_set(error, "out of memory");
  database_begin();
  int result = sqlite3_prepare_v2(workspace->database, text, -1, statement, NULL);
  sqlite3_free(text);
  return result == SQLITE_OK ? 0 : workspace_error(workspace, error);
}

int workspace_prepare(struct workspace *workspace, sqlite3_stmt **statement, struct error *error,
                      const char *sql, ...) {
  va_list values;
  va_start(values, sql);
  int result = prepare(workspace, statement, error, sql, values);
  va_end(values);
  return result;
}

int workspace_run(struct workspace *workspace, struct error *error, const char *sql, ...) {
  va_list values;
  va_start(values, sql);
  char *text = sqlite3_vmprintf(sql, values);
  va_end(values);
  if (!text) return error_set(error, "out of memory");
  database_begin();
  int result = sqlite3_exec(workspace->database, text, NULL, NULL, NULL);
  sqlite3_free(text);
  return result == SQLITE_OK ? 0 : workspace_error(workspace, error);
}

/* ---- profiles ---- */

/* The ranks of a parallel job are one run: how they differ does not say how jobs do.
 * None of n ticks was seen: as uncertain as a function that no tick met; if there is none, at 95
 * % the share is below z*z / (n + z*z) (Wilson). */
static int note_whole(struct workspace *workspace, size_t profile, const char *path,
                      struct error *error) {
  return workspace_run(
      workspace, error,
      "INSERT INTO profile SELECT %d, %Q, o.unit, CASE o.unit WHEN 'ns' THEN 1e-9 ELSE 1.0 END,"
      " r.whole, r.ticks, CASE WHEN o.evidence = 'counted' THEN 0.0"
      " WHEN o.evidence IN ('ticks', 'sized')"
      " THEN coalesce((SELECT self_high_ns FROM p%d.raw_functions"
      " WHERE self_ticks = 0 AND self_ns = 0 LIMIT 1),"
      " r.sampled * 3.8415 / (r.ticks + 3.8415)) END,"
      " EXISTS (SELECT 1 FROM p%d.raw_functions WHERE calls IS NOT NULL),"
      " EXISTS (SELECT 1 FROM p%d.raw_expressions), r.sampled, r.runs,"
      " CASE WHEN r.ranks = 0 THEN"
      " sqrt(max(r.squares / r.runs - r.mean * r.mean, 0) * r.runs / (r.runs - 1)) / r.mean END,"
      " o.evidence"
      " FROM (SELECT sum(ticks) AS ticks, sum(sampled_ns) AS sampled, sum(whole_ns) AS whole,"
      " CASE WHEN count(rank) THEN max(count(DISTINCT job), 1) ELSE count(*) END AS runs,"
      " count(rank) AS ranks, avg(sampled_ns) AS mean, total(1.0 * sampled_ns * sampled_ns) AS "
      "squares"
      " FROM p%d.runs) r,"
      " (SELECT unit, evidence FROM p%d.origin LIMIT 1) o;"
      "UPDATE profile SET unseen = unseen * scale, whole = whole * scale,"
      " sampled = sampled * scale WHERE id = %d;",
      (int)profile, path, (int)profile, (int)profile, (int)profile, (int)profile, (int)profile,
      (int)profile);
}

int workspace_attach_as(struct workspace *workspace, const char *schema, const char *path,
                        struct error *error) {
  database_begin();
  return store_attach(workspace->database, schema, path, workspace->metric, error);
}

int workspace_attach(struct workspace *workspace, size_t profile, const char *path,
                     struct error *error) {
  if (workspace_detach(workspace, profile, error) != 0) return -1;
  char schema[32];
  snprintf(schema, sizeof schema, "p%zu", profile);
  return workspace_attach_as(workspace, schema, path, error);
}

/* The profile with that number, whose path is known. */
static int attach(struct workspace *workspace, size_t profile, struct error *error) {
  struct profile *made = workspace->made[profile - 1];
  const char *path = workspace->paths[profile - 1];
  const char *const *of = (const char *const *)&workspace->files[profile - 1];
  const struct kept_sources kept = {of, *of != NULL};
  struct error reason;
  char schema[32];
  snprintf(schema, sizeof schema, "p%zu", profile);
  int result = made ? store_attach_profile(workspace->database, schema, made, &kept, path,
                                           workspace->metric, error)
                    : workspace_attach_as(workspace, schema, path, error);
  if (result != 0) return -1;
  if (note_whole(workspace, profile, path, &reason) != 0)
    return error_set(error, "%s: %s", path, reason.text);
  if (sqlite3_changes(workspace->database) != 1)
    return error_set(error, "%s: the profile is damaged: record again", path);
  return 0;
}

static void note_file(struct workspace *workspace, size_t at) {
  const char *path = workspace->made[at] ? workspace->files[at] : workspace->paths[at];
  workspace->opened[at] = (struct stat){0};
  if (path) stat(path, &workspace->opened[at]); /* if it is not there, attaching it says so */
}

static int check_file(const char *path, const struct stat *opened, struct error *error) {
  struct stat now;
  if (stat(path, &now) != 0)
    return error_set(error, "%s is not there any more: start ascribe view again", path);
  if (now.st_dev == opened->st_dev && now.st_ino == opened->st_ino &&
      now.st_size == opened->st_size && now.st_mtim.tv_sec == opened->st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == opened->st_mtim.tv_nsec)
    return 0;
  return error_set(error, "%s was replaced: start ascribe view again", path);
}

int workspace_check_files(const struct workspace *workspace, struct error *error) {
  for (size_t i = 0; i < workspace->count; i++) {
    const char *path = workspace->made[i] ? workspace->files[i] : workspace->paths[i];
    if (path && workspace->opened[i].st_ino && check_file(path, &workspace->opened[i], error) != 0)
      return -1;
  }
  return 0;
}

int workspace_add_made(struct workspace *workspace, struct profile *profile, const char *path,
                       const char *file, struct error *error) {
  size_t at = workspace->count;
  free(workspace->files[at]);
  workspace->files[at] = file ? memory_text(file) : NULL;
  free(workspace->paths[at]);
  workspace->paths[at] = memory_text(path);
  workspace->made[at] = profile;
  note_file(workspace, at);
  if (attach(workspace, at + 1, error) == 0) {
    workspace->count++;
    return 0;
  }
  struct error ignored;
  workspace_detach(workspace, at + 1, &ignored);
  profile_free(profile);
  workspace->made[at] = NULL;
  return -1;
}

int workspace_add(struct workspace *workspace, const char *path, struct error *error) {
  return workspace_add_made(workspace, NULL, path, NULL, error);
}

void workspace_choose(struct workspace *workspace, const char *metric) {
  free(workspace->metric);
  workspace->metric = metric ? memory_text(metric) : NULL;
}

int workspace_detach(struct workspace *workspace, size_t profile, struct error *error) {
  return workspace_run(workspace, error, "DETACH p%d", (int)profile);
}
