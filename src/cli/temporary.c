#include "cli/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "recording/layout.h"
#include "recording/network.h"

enum { ATTEMPTS = 100 };

static bool is_remote(const char *path) {
  struct statfs info;
  return statfs(path, &info) || is_network_file_system((unsigned long)info.f_type);
}

/* Locked as long as this process lives: leftovers.c. */
static void hold(const char *path) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (directory < 0) return;
  flock(directory, LOCK_EX | LOCK_NB);
  int mark = openat(directory, TEMPORARY_MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (mark >= 0) close(mark);
}

static int try_parent(const char *parent, char path[PATH_MAX]) {
  if (snprintf(path, PATH_MAX, "%s/ascribe-XXXXXX", parent) >= PATH_MAX) return -1;
  if (!mkdtemp(path)) return -1;
  hold(path);
  return 0;
}

size_t temporary_parents(const char *parents[TEMPORARY_PARENTS]) {
  const char *chosen = secure_getenv("ASCRIBE_TMPDIR");
  const char *usual[] = {"/dev/shm", secure_getenv("TMPDIR"), "/var/tmp", "/tmp"};
  size_t count = 0;
  if (chosen) {
    parents[0] = chosen;
    return 1;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (usual[i] && *usual[i] && !is_remote(usual[i])) parents[count++] = usual[i];
  return count;
}

int temporary_create(char path[PATH_MAX], struct error *error) {
  const char *parents[TEMPORARY_PARENTS];
  size_t count = temporary_parents(parents);
  for (size_t i = 0; i < count; i++)
    if (!try_parent(parents[i], path)) return 0;
  if (secure_getenv("ASCRIBE_TMPDIR"))
    return error_set(error, "cannot make a directory in %s (ASCRIBE_TMPDIR): %s", parents[0],
                     strerror(errno));
  return error_set(error,
                   "no local directory for the recording: /dev/shm, /var/tmp and /tmp cannot "
                   "be written; set ASCRIBE_TMPDIR to one that can");
}

bool temporary_is_empty(const char *path) {
  DIR *directory = opendir(path);
  if (!directory) return errno != ENOMEM; /* then nobody knows */
  bool empty = true;
  for (struct dirent *entry; empty && (entry = readdir(directory));)
    empty = !strstr(entry->d_name, RECORDING_SUFFIX);
  closedir(directory);
  return empty;
}

static void remove_files(const char *path) {
  DIR *directory = opendir(path);
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory));)
    if (entry->d_name[0] != '.') unlinkat(dirfd(directory), entry->d_name, 0);
  closedir(directory);
}

/* Programs that begin meanwhile may put new ones there. */
void temporary_remove(const char *path) {
  for (int i = 0; i < ATTEMPTS; i++) {
    remove_files(path);
    if (rmdir(path) == 0 || (errno != ENOTEMPTY && errno != EEXIST)) return;
  }
}
