#include "store/database.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/memory.h"
#include "store/schema.h"
#include "store/tables.h"

/* A damaged tree of pages can have as many paths through it as it likes. What is left to a query
 * grows with the largest file: a second and 16 MB for each of its megabytes. */
enum { STEPS_BETWEEN = 1000000, NS_PER_BYTE = 1000, HEAP_PER_BYTE = 16 };
#define LEAST_NS 10000000000ll
#define LEAST_HEAP (256ll << 20)

static _Atomic int64_t largest; /* bytes of a file that was opened */

/* Of this thread: how often it asked for a row, and its CPU time when we looked at that. */
static _Thread_local uint64_t asked, asked_then;
static _Thread_local int64_t since_ns;

static _Thread_local struct {
  bool (*is_gone)(void *at);
  void *at;
} asker;

void database_ask_for(bool (*is_gone)(void *at), void *at) {
  asker.is_gone = is_gone;
  asker.at = at;
}

static int64_t used_ns(void) {
  return (int64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int is_too_much(void *at) {
  (void)at;
  if (asked != asked_then) {
    asked_then = asked;
    since_ns = used_ns();
  }
  if (asker.is_gone && asker.is_gone(asker.at)) return true;
  return used_ns() - since_ns > LEAST_NS + largest * NS_PER_BYTE;
}

void database_begin(void) {
  asked++;
}

int database_step(sqlite3_stmt *statement) {
  database_begin();
  return sqlite3_step(statement);
}

void database_bound(sqlite3 *database) {
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, LONGEST_TEXT);
  sqlite3_progress_handler(database, STEPS_BETWEEN, is_too_much, NULL);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

int64_t database_expect(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  if (status.st_size > largest) largest = status.st_size;
  sqlite3_hard_heap_limit64(LEAST_HEAP + largest * HEAP_PER_BYTE);
  return status.st_size;
}

int database_error(sqlite3 *database, const char *path, struct error *error) {
  int cause = errno; /* sqlite3_system_errno is 0 after a write that failed in COMMIT */
  int code = sqlite3_errcode(database) & 0xff;
  if (code != SQLITE_IOERR && code != SQLITE_FULL && code != SQLITE_CANTOPEN) cause = 0;
  if (code == SQLITE_FULL || cause == ENOSPC || cause == EFBIG || cause == EDQUOT)
    return error_set(error, "%s: no room on the disk, or a limit on file sizes (%s)", path,
                     cause ? strerror(cause) : sqlite3_errmsg(database));
  if (code == SQLITE_INTERRUPT)
    return error_set(error,
                     "%s: the profile asks for too much work: it is damaged or was made to; record"
                     " again",
                     path);
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_SCHEMA ||
      code == SQLITE_TOOBIG || code == SQLITE_ERROR)
    return error_set(error, "%s: the profile is damaged (%s): record again", path,
                     sqlite3_errmsg(database));
  if (code == SQLITE_NOMEM) return error_set(error, "%s: out of memory", path);
  return error_set(error, "%s: %s%s%s", path, sqlite3_errmsg(database), cause ? ": " : "",
                   cause ? strerror(cause) : "");
}

char *database_uri(const char *path) {
  static const char digits[] = "0123456789ABCDEF", ending[] = "?mode=ro&immutable=1";
  char *uri = memory_resized(NULL, 3 * strlen(path) + sizeof "file:" + sizeof ending, 1);
  char *end = stpcpy(uri, "file:");
  /* '?', '#' and '%' have a meaning there. */
  for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
    if (*at > ' ' && *at < 0x7f && !strchr("%?#", *at)) {
      *end++ = (char)*at;
      continue;
    }
    *end++ = '%';
    *end++ = digits[*at >> 4];
    *end++ = digits[*at & 15];
  }
  strcpy(end, ending);
  return uri;
}

int database_open(const char *path, sqlite3 **database, struct error *error) {
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  char *uri = database_uri(path);
  int opened = sqlite3_open_v2(uri, database, flags, NULL);
  free(uri);
  if (opened != SQLITE_OK) return database_error(*database, path, error);
  database_expect(path);
  database_bound(*database);
  return database_run(*database, path, "PRAGMA cell_size_check=ON;PRAGMA temp_store=MEMORY", error);
}

/* ---- statements ---- */

int database_run(sqlite3 *database, const char *path, const char *sql, struct error *error) {
  database_begin();
  if (sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK) return 0;
  return database_error(database, path, error);
}

int database_prepare(sqlite3 *database, const char *path, const char *sql, sqlite3_stmt **statement,
                     struct error *error) {
  if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) ==
      SQLITE_OK)
    return 0;
  return database_error(database, path, error);
}

/* ---- the schema ---- */

static int number_of(sqlite3 *database, const char *path, char *sql, int64_t *value,
                     struct error *error) {
  sqlite3_stmt *statement = NULL;
  int result = sql ? database_prepare(database, path, sql, &statement, error)
                   : error_set(error, "%s: out of memory", path);
  sqlite3_free(sql);
  if (result != 0) return -1;
  if (database_step(statement) == SQLITE_ROW)
    *value = sqlite3_column_int64(statement, 0);
  else
    result = database_error(database, path, error);
  sqlite3_finalize(statement);
  return result;
}

static int check_version(sqlite3 *database, const char *schema, const char *path,
                         struct error *error) {
  int64_t application, version;
  if (number_of(database, path, sqlite3_mprintf("PRAGMA \"%w\".application_id", schema),
                &application, error) != 0 ||
      number_of(database, path, sqlite3_mprintf("PRAGMA \"%w\".user_version", schema), &version,
                error) != 0)
    return -1;
  if (application != PROFILE_APPLICATION_ID)
    return error_set(error, "%s is an SQLite database, but not an Ascribe profile", path);
  if (version > PROFILE_SCHEMA_VERSION)
    return error_set(error,
                     "%s was made by a newer version of Ascribe (format %lld; this one reads %d to "
                     "%d): use that version",
                     path, (long long)version, PROFILE_OLDEST_VERSION, PROFILE_SCHEMA_VERSION);
  if (version < PROFILE_OLDEST_VERSION)
    return error_set(error,
                     "%s was made by an older version of Ascribe (format %lld; this one reads %d "
                     "to %d): record again, or use that version",
                     path, (long long)version, PROFILE_OLDEST_VERSION, PROFILE_SCHEMA_VERSION);
  return 0;
}

/* Whether one of our statements, each of which ends with a semicolon, is `sql`. */
static bool is_statement(const char *statements, const char *sql) {
  size_t length = strlen(sql);
  for (const char *at = statements; (at = strstr(at, sql)); at++)
    if ((at == statements || at[-1] == ';') && at[length] == ';') return true;
  return false;
}

static bool is_view_of_ours(const char *name) {
  char begin[128];
  return snprintf(begin, sizeof begin, "CREATE VIEW %s AS ", name) < (int)sizeof begin &&
         strstr(schema_views, begin) != NULL;
}

/* Values that a table works out when it is read: nothing of ours does. */
static bool computes(sqlite3 *database, const char *schema, const char *table) {
  sqlite3_stmt *statement = NULL;
  char *sql =
      sqlite3_mprintf("SELECT 1 FROM pragma_table_xinfo(%Q, %Q) WHERE hidden", table, schema);
  int prepared = sql ? sqlite3_prepare_v2(database, sql, -1, &statement, NULL) : SQLITE_NOMEM;
  bool found = prepared != SQLITE_OK || database_step(statement) != SQLITE_DONE;
  sqlite3_free(sql);
  sqlite3_finalize(statement);
  return found;
}

struct schema_check {
  sqlite3 *database;
  const char *schema;
  bool other_form; /* of what was seen so far */
};

/* One row of sqlite_schema. Users may add views, tables and indexes of other names, which nobody
 * asks here. */
static bool is_sound(struct schema_check *check, sqlite3_stmt *row) {
  const char *type = (const char *)sqlite3_column_text(row, 0);
  const char *name = (const char *)sqlite3_column_text(row, 1);
  const char *sql = (const char *)sqlite3_column_text(row, 2);
  if (strcmp(type, "trigger") == 0) return false;
  if (strcmp(type, "index") == 0) return true;
  if (sqlite3_strnicmp(name, "raw_", 4) != 0) {
    if (!is_view_of_ours(name)) return true;
    if (strcmp(type, "view") != 0) return false;
    if (!is_statement(schema_views, sql)) check->other_form = true;
    return true;
  }
  if (strcmp(type, "table") != 0) return false;
  if (is_statement(tables_sql(), sql)) return true;
  check->other_form = true;
  bool is_virtual = sqlite3_column_int64(row, 4) <= 0;
  return !is_virtual && !computes(check->database, check->schema, name);
}

/* How many tables and views of ours are there. */
static int count_statements(const char *statements) {
  int count = 0;
  for (const char *at = statements; (at = strstr(at, "CREATE ")); at++)
    count += at == statements || at[-1] == ';';
  return count;
}

int database_check(sqlite3 *database, const char *schema, const char *path, struct error *error) {
  sqlite3_stmt *statement = NULL;
  struct schema_check check = {.database = database, .schema = schema};
  if (check_version(database, schema, path, error) != 0) return -1;
  char *sql = sqlite3_mprintf("SELECT coalesce(type, ''), lower(coalesce(name, '')),"
                              " coalesce(sql, ''), name, rootpage FROM \"%w\".sqlite_schema",
                              schema);
  int result = sql ? database_prepare(database, path, sql, &statement, error)
                   : error_set(error, "%s: out of memory", path);
  int step = SQLITE_DONE, ours = 0;
  sqlite3_free(sql);
  while (result == 0 && (step = database_step(statement)) == SQLITE_ROW) {
    if (!is_sound(&check, statement))
      result = error_set(error,
                         "%s: the profile is damaged (%s is not as Ascribe makes it): record again",
                         path, (const char *)sqlite3_column_text(statement, 3));
    const char *made = (const char *)sqlite3_column_text(statement, 2);
    ours += is_statement(tables_sql(), made) || is_statement(schema_views, made);
  }
  if (result == 0 && step != SQLITE_DONE) result = database_error(database, path, error);
  sqlite3_finalize(statement);
  if (result != 0) return -1;
  bool all = ours == count_statements(tables_sql()) + count_statements(schema_views);
  return check.other_form || !all ? DATABASE_OTHER_FORM : 0;
}
