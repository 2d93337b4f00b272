#include "cli/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int try_parent(const char *parent, char path[PATH_MAX]) {
  if (!parent || !*parent) return -1;
  if (snprintf(path, PATH_MAX, "%s/ascribe-XXXXXX", parent) >= PATH_MAX) return -1;
  return mkdtemp(path) ? 0 : -1;
}

int temporary_create(char path[PATH_MAX], struct error *error) {
  const char *chosen = secure_getenv("ASCRIBE_TMPDIR");
  if (chosen) {
    if (!try_parent(chosen, path)) return 0;
    return error_set(error, "cannot make a directory in %s (ASCRIBE_TMPDIR): %s", chosen,
                     strerror(errno));
  }
  const char *parents[] = {"/dev/shm", secure_getenv("TMPDIR"), "/var/tmp", "/tmp"};
  for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
    if (parents[i] && !is_remote(parents[i]) && !try_parent(parents[i], path)) return 0;
  return error_set(error,
                   "no local directory for the recording: /dev/shm, /var/tmp and /tmp cannot "
                   "be written; set ASCRIBE_TMPDIR to one that can");
}

bool temporary_is_empty(const char *path) {
  DIR *directory = opendir(path);
  if (!directory) return true;
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
