/* The profile file in its place: complete or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_name.h"
#include "store/database.h"
#include "store/store.h"
#include "store/writer.h"

static int cannot_write(const char *path, struct error *error) {
  return error_set(error, "%s cannot be written: %s; name another place with -o FILE", path,
                   strerror(errno));
}

/* An empty file beside `path`, private as yet, and its descriptor. */
static int create_beside(const char *path, char name[PATH_MAX], struct error *error) {
  if (snprintf(name, PATH_MAX, "%s.XXXXXX", path) >= PATH_MAX)
    return error_set(error, "%s: the name is too long", path);
  int descriptor = mkstemp(name);
  return descriptor >= 0 ? descriptor : cannot_write(path, error);
}

/* From now on it has the mode of any new file. */
static void open_to_others(int descriptor) {
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
}

/* The same file by its directory's real path. SQLite may then refuse links: in a directory that
 * others write to, one may have taken the place of the file by now. */
static int find_place(const char *name, char place[PATH_MAX]) {
  char directory[PATH_MAX];
  const char *file = base_name(name);
  snprintf(directory, sizeof directory, "%.*s.", (int)(file - name), name);
  if (!realpath(directory, place)) return -1;
  size_t length = strlen(place);
  int written = snprintf(place + length, PATH_MAX - length, "/%s", file);
  if (written < (int)(PATH_MAX - length)) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

static int fill(const char *name, const char *path, const struct profile *profile,
                const struct kept_sources *kept, bool *closed, struct error *error) {
  sqlite3 *database = NULL;
  char place[PATH_MAX];
  int result = -1, flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                           SQLITE_OPEN_NOFOLLOW;
  if (find_place(name, place) != 0) return cannot_write(path, error);
  if (sqlite3_open_v2(place, &database, flags, NULL) == SQLITE_OK)
    result = writer_fill(database, path, profile, kept, closed, error);
  else
    database_error(database, path, error);
  sqlite3_close(database);
  return result;
}

int store_may_save_new(const char *path, struct error *error) {
  char directory[PATH_MAX];
  int length = (int)(base_name(path) - path);
  snprintf(directory, sizeof directory, "%.*s.", length, path);
  return access(directory, W_OK | X_OK) == 0 ? 0 : cannot_write(path, error);
}

/* Devices, pipes and links to elsewhere are not to be replaced by a file. */
int store_may_save(const char *path, struct error *error) {
  struct stat status;
  if (!path[0]) return error_set(error, "the profile's name is empty: name a file with -o FILE");
  if (strcmp(path, "-") == 0)
    return error_set(error,
                     "a profile is not written to standard output: name a file with -o FILE");
  if (lstat(path, &status) != 0 || S_ISREG(status.st_mode)) return store_may_save_new(path, error);
  if (S_ISDIR(status.st_mode))
    return error_set(error, "%s is a directory: name a file with -o FILE", path);
  return error_set(
      error, "%s is not a regular file and will not be replaced: name another with -o FILE", path);
}

/* The complete profile under a name beside `path`. */
static int write_beside(const struct profile *profile, const struct kept_sources *kept,
                        const char *path, char name[PATH_MAX], struct error *error) {
  bool closed = true;
  int descriptor = create_beside(path, name, error);
  if (descriptor < 0) return -1;
  /* A limit on file sizes is an error to report, not a reason to die. */
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGXFSZ, &ignore, &before);
  int result = fill(name, path, profile, kept, &closed, error);
  sigaction(SIGXFSZ, &before, NULL);
  /* Root, too, reads what others may not. */
  if (!closed && geteuid() != 0) open_to_others(descriptor);
  close(descriptor);
  if (result != 0) unlink(name);
  return result;
}

int store_save_merged(const struct profile *profile, const struct kept_sources *kept,
                      const char *path, struct error *error) {
  char name[PATH_MAX];
  if (store_may_save(path, error) != 0 || write_beside(profile, kept, path, name, error) != 0)
    return -1;
  /* What stands there may have changed meanwhile. */
  int result = store_may_save(path, error);
  if (result == 0 && rename(name, path) != 0) result = cannot_write(path, error);
  if (result != 0) unlink(name);
  return result;
}

static const struct kept_sources no_sources = {0};

int store_save(const struct profile *profile, const char *path, struct error *error) {
  return store_save_merged(profile, &no_sources, path, error);
}

/* Make an empty file of the first free name: it is ours from then on. */
static int claim_name(const char *path, char claimed[PATH_MAX], struct error *error) {
  static const char suffix[] = ".ascribe";
  size_t length = strlen(path), end = sizeof suffix - 1;
  if (length >= end && strcmp(path + length - end, suffix) == 0) length -= end;
  for (unsigned number = 1; number < UINT_MAX; number++) {
    int written = number == 1 ? snprintf(claimed, PATH_MAX, "%s", path)
                              : snprintf(claimed, PATH_MAX, "%.*s.%u%s", (int)length, path, number,
                                         path + length);
    if (written >= PATH_MAX) return error_set(error, "%s: the name is too long", path);
    int descriptor = open(claimed, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0) {
      close(descriptor);
      return 0;
    }
    if (errno != EEXIST) break;
  }
  return cannot_write(path, error);
}

int store_save_new(const struct profile *profile, const char *path, char saved[PATH_MAX],
                   struct error *error) {
  char name[PATH_MAX], claimed[PATH_MAX];
  if (write_beside(profile, &no_sources, path, name, error) != 0) return -1;
  if (claim_name(path, claimed, error) == 0) {
    if (rename(name, claimed) == 0) {
      strcpy(saved, claimed);
      return 0;
    }
    cannot_write(path, error);
    unlink(claimed);
  }
  unlink(name);
  return -1;
}
