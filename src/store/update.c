/* Profile files as this version would write them: those of earlier versions, and those of which
 * another metric is wanted than the first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/database.h"
#include "store/store.h"
#include "store/writer.h"

/* Of an attached file: joins go to and fro in the tables of large profiles. SQLite's own 2 MB would
 * have each page read again and again. */
enum { CACHE_KIB = 16 << 10 };

static int run(sqlite3 *database, const char *path, char *sql, struct error *error) {
  int result =
      sql ? database_run(database, path, sql, error) : error_set(error, "%s: out of memory", path);
  sqlite3_free(sql);
  return result;
}

/* Its bytes are SQLite's. */
static int write_to_memory(const struct profile *profile, const struct kept_sources *kept,
                           const char *path, unsigned char **bytes, sqlite3_int64 *count,
                           struct error *error) {
  sqlite3 *database = NULL;
  bool closed;
  int result = sqlite3_open(":memory:", &database) == SQLITE_OK
                   ? writer_fill(database, path, profile, kept, &closed, error)
                   : database_error(database, path, error);
  if (result == 0 && !(*bytes = sqlite3_serialize(database, "main", count, 0)))
    result = error_set(error, "%s: out of memory", path);
  sqlite3_close(database);
  return result;
}

/* The metric's id; NOTHING, with the error set, if the profile lacks it. Null: the first. */
static uint32_t find_metric(const struct profile *profile, const char *path, const char *metric,
                            struct error *error) {
  uint32_t id = metric ? metrics_find(profile, metric) : 0;
  if (id == NOTHING)
    error_set(error, "--metric %s: %s measures %s", metric, path,
              metrics_text(profile, profile->pool));
  return id;
}

int store_attach_profile(sqlite3 *database, const char *schema, struct profile *profile,
                         const struct kept_sources *kept, const char *path, const char *metric,
                         struct error *error) {
  unsigned char *bytes;
  sqlite3_int64 count;
  uint32_t first = find_metric(profile, path, metric, error);
  if (first == NOTHING) return -1;
  metrics_put_first(profile, first);
  int written = write_to_memory(profile, kept, path, &bytes, &count, error);
  metrics_put_first(profile, first); /* they change places again */
  if (written != 0) return -1;
  if (run(database, path, sqlite3_mprintf("ATTACH ':memory:' AS \"%w\"", schema), error) != 0) {
    sqlite3_free(bytes);
    return -1;
  }
  int flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY;
  return sqlite3_deserialize(database, schema, bytes, count, count, flags) == SQLITE_OK
             ? 0
             : database_error(database, path, error);
}

static int attach_updated(sqlite3 *database, const char *schema, const char *path,
                          const char *metric, struct error *error) {
  const struct kept_sources kept = {&path, 1};
  struct profile *profile;
  if (store_load_series(path, &profile, error) != 0) return -1;
  int result = store_attach_profile(database, schema, profile, &kept, path, metric, error);
  profile_free(profile);
  return result;
}

/* Whether the attached file has the metric as its first; null: any. */
static bool is_first(sqlite3 *database, const char *schema, const char *metric) {
  sqlite3_stmt *statement = NULL;
  if (!metric) return true;
  char *sql =
      sqlite3_mprintf("SELECT name = %Q FROM \"%w\".raw_metrics WHERE id = 1", metric, schema);
  bool first = sql && sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
               database_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1;
  sqlite3_finalize(statement);
  sqlite3_free(sql);
  return first;
}

int store_attach(sqlite3 *database, const char *schema, const char *path, const char *metric,
                 struct error *error) {
  if (access(path, R_OK) != 0)
    return error_set(error, "%s cannot be read: %s", path, strerror(errno));
  if (!store_is_file(path)) return error_set(error, "%s is not an Ascribe profile", path);
  char *uri = database_uri(path);
  database_expect(path);
  int result = run(database, path, sqlite3_mprintf("ATTACH %Q AS \"%w\"", uri, schema), error);
  free(uri);
  if (result != 0 ||
      run(database, path, sqlite3_mprintf("PRAGMA \"%w\".cache_size=-%d", schema, CACHE_KIB),
          error) != 0)
    return -1;
  int form = database_check(database, schema, path, error);
  if (form < 0 || (form == 0 && is_first(database, schema, metric))) return form;
  return run(database, path, sqlite3_mprintf("DETACH \"%w\"", schema), error) == 0
             ? attach_updated(database, schema, path, metric, error)
             : -1;
}
