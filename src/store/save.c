/* The profile file in its place: complete or not at all. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/database.h"
#include "store/store.h"
#include "store/writer.h"

/* An empty file beside `path`, with the mode that any new file would have. */
static int create_beside(const char *path, char name[PATH_MAX], struct error *error) {
  if (snprintf(name, PATH_MAX, "%s.XXXXXX", path) >= PATH_MAX)
    return error_set(error, "%s: the name is too long", path);
  int descriptor = mkstemp(name);
  if (descriptor < 0)
    return error_set(error, "%s cannot be written: %s; name another place with -o FILE", path,
                     strerror(errno));
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  close(descriptor);
  return 0;
}

static int fill(const char *name, const char *path, const struct profile *profile,
                const struct kept_sources *kept, struct error *error) {
  sqlite3 *database = NULL;
  int result = -1;
  if (sqlite3_open_v2(name, &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                      NULL) == SQLITE_OK)
    result = writer_fill(database, path, profile, kept, error);
  else
    database_error(database, path, error);
  sqlite3_close(database);
  return result;
}

/* Devices, pipes and links to elsewhere are not to be replaced by a file. */
int store_may_save(const char *path, struct error *error) {
  struct stat status;
  if (!path[0]) return error_set(error, "the profile's name is empty: name a file with -o FILE");
  if (lstat(path, &status) != 0 || S_ISREG(status.st_mode)) return 0;
  if (S_ISDIR(status.st_mode))
    return error_set(error, "%s is a directory: name a file with -o FILE", path);
  return error_set(error,
                   "%s is no regular file, and a profile is not written in its place: name"
                   " another with -o FILE",
                   path);
}

static int move_into_place(const char *name, const char *path, struct error *error) {
  char older[PATH_MAX];
  struct stat status;
  if (snprintf(older, sizeof older, "%s.old", path) >= (int)sizeof older)
    return error_set(error, "%s: the name is too long", path);
  if (store_may_save(path, error) != 0) return -1;
  bool exists = lstat(path, &status) == 0;
  if (exists && rename(path, older) != 0)
    return error_set(error, "%s cannot be renamed to %s: %s", path, older, strerror(errno));
  if (rename(name, path) == 0) return 0;
  int cause = errno;
  if (exists) rename(older, path);
  return error_set(error, "%s cannot be written: %s", path, strerror(cause));
}

int store_save_merged(const struct profile *profile, const struct kept_sources *kept,
                      const char *path, struct error *error) {
  char name[PATH_MAX];
  if (store_may_save(path, error) != 0 || create_beside(path, name, error) != 0) return -1;
  /* A limit on file sizes is an error to report, not a reason to die. */
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGXFSZ, &ignore, &before);
  int result = fill(name, path, profile, kept, error);
  sigaction(SIGXFSZ, &before, NULL);
  if (result == 0) result = move_into_place(name, path, error);
  if (result != 0) unlink(name);
  return result;
}

int store_save(const struct profile *profile, const char *path, struct error *error) {
  static const struct kept_sources none = {0};
  return store_save_merged(profile, &none, path, error);
}
