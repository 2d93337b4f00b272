#include "store/database.h"

#include <errno.h>
#include <string.h>

int database_error(sqlite3 *database, const char *path, struct error *error) {
  int cause = errno; /* sqlite3_system_errno is 0 after a write that failed in COMMIT */
  int code = sqlite3_errcode(database) & 0xff;
  if (code != SQLITE_IOERR && code != SQLITE_FULL && code != SQLITE_CANTOPEN) cause = 0;
  if (code == SQLITE_FULL || cause == ENOSPC || cause == EFBIG || cause == EDQUOT)
    return error_set(error, "%s: no room on the disk, or a limit on file sizes (%s)", path,
                     cause ? strerror(cause) : sqlite3_errmsg(database));
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_SCHEMA ||
      code == SQLITE_ERROR)
    return error_set(error, "%s: the profile is damaged (%s): record again", path,
                     sqlite3_errmsg(database));
  if (code == SQLITE_NOMEM) return error_set(error, "%s: out of memory", path);
  return error_set(error, "%s: %s%s%s", path, sqlite3_errmsg(database), cause ? ": " : "",
                   cause ? strerror(cause) : "");
}

int database_open(const char *path, sqlite3 **database, struct error *error) {
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (sqlite3_open_v2(path, database, flags, NULL) != SQLITE_OK)
    return database_error(*database, path, error);
  sqlite3_db_config(*database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(*database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  return database_run(*database, path, "PRAGMA cell_size_check=ON", error);
}

int database_run(sqlite3 *database, const char *path, const char *sql, struct error *error) {
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
