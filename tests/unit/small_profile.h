/* Two small profile files, written as SQL, in a workspace. */
#ifndef ASCRIBE_TESTS_SMALL_PROFILE_H
#define ASCRIBE_TESTS_SMALL_PROFILE_H

#include <unistd.h>

#include "check.h"
#include "compare/workspace.h"
#include "store/schema.h"
#include "store/tables.h"

static char paths[2][64];
static const char *const evidence_sampled = "INSERT INTO raw_metrics VALUES(1, 'cpu', NULL, 0, 0, "
                                            "0, 0, 0); INSERT INTO raw_origin VALUES(NULL, NULL)";

static void execute(sqlite3 *database, const char *sql) {
  char *reason = NULL;
  if (sqlite3_exec(database, sql, NULL, NULL, &reason) == SQLITE_OK) return;
  printf("%s: %s\n", sql, reason);
  sqlite3_free(reason);
  checks_failed++;
}

/* A profile file whose rows are these statements; 1000 ticks of a millisecond. */
static void profile_with(int which, const char *origin, const char *rows) {
  sqlite3 *database = NULL;
  snprintf(paths[which], sizeof paths[which], "comparison-%d-%d.ascribe", which, (int)getpid());
  unlink(paths[which]);
  sqlite3_open(paths[which], &database);
  char *pragmas =
      sqlite3_mprintf("PRAGMA synchronous=off; PRAGMA application_id=%d; PRAGMA user_version=%d;",
                      PROFILE_APPLICATION_ID, PROFILE_SCHEMA_VERSION);
  execute(database, pragmas);
  sqlite3_free(pragmas);
  execute(database, tables_sql());
  execute(database, schema_views);
  execute(database, origin);
  execute(database,
          "INSERT INTO raw_runs VALUES(1, '', '', '', '', 0, 0, '', '', 1000, 1000, 0, 1000000000,"
          " 0, 1000000000, 0, 0, 1000000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
          "0, 0, 0);"
          "INSERT INTO raw_files VALUES(1, '/one/src/a.c'), (2, '/one/src/b.c'),"
          " (3, '/two/src/a.c');"
          "INSERT INTO raw_objects VALUES(1, '/one/prog', '', '', NULL, 0, 0, 0),"
          " (2, '/two/prog', '', '', NULL, 0, 0, 0);");
  execute(database, rows);
  sqlite3_close(database);
}

#define FUNCTION(id, name, file, line, object, calls, self, uncertainty)                           \
  "INSERT INTO raw_functions VALUES(" #id ", '" name "', NULL, " #file ", " #line                  \
  ", 0, 0, 0, " #object ", 0, 1, 0, " #calls ", 0, " #self ", " #self " - " #uncertainty           \
  ", " #self " + " #uncertainty ", 1, " #self ", " #self " - " #uncertainty ", " #self             \
  " + " #uncertainty ", 1, NULL, NULL, 1);"

static struct workspace workspace;
static struct error error;

static void open_both(void) {
  CHECK_EQUAL(workspace_open(&workspace, &error), 0);
  for (int i = 0; i < 2; i++)
    if (workspace_add(&workspace, paths[i], &error) != 0) {
      printf("%s\n", error.text);
      checks_failed++;
    }
}

static void close_both(void) {
  workspace_close(&workspace);
  for (int i = 0; i < 2; i++)
    unlink(paths[i]);
}

#endif
