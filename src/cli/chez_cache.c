#include "cli/chez_cache.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/memory.h"

#define OF_DIRECTORY "chez-%016llx-" /* in names of compiled files: of the sources' directory */
enum { OF_DIRECTORY_LENGTH = sizeof "chez-" - 1 + 16 + 1 };

/* Whether only this user, or root, decides what names in the directory stand for. */
static bool is_safe_parent(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != geteuid() && status.st_uid != 0) return false;
  return !(status.st_mode & (S_IWGRP | S_IWOTH)) || (status.st_mode & S_ISVTX);
}

static int find_cache(char path[PATH_MAX]) {
  const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  bool is_named = cache && cache[0] == '/';
  if (!is_named && (!home || home[0] != '/')) return -1;
  int length = snprintf(path, PATH_MAX, "%s%s", is_named ? cache : home, is_named ? "" : "/.cache");
  if (length < 0 || length >= PATH_MAX - 64) return -1;
  mkdir(path, 0700);
  if (!is_safe_parent(path)) return -1;
  strcat(path, "/ascribe"); /* there is room: see above */
  mkdir(path, 0700);
  struct stat status;
  if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return -1;
  return status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -1;
}

static const char *const parts[] = {"", "-points", "-records", "-instrument", "-ahead", "-session"};
enum { PARTS = sizeof parts / sizeof *parts };

static int look_at_part(const char *directory, size_t part, struct stat *status) {
  char file[PATH_MAX];
  int length = snprintf(file, sizeof file, "%s/ascribe-chez%s.ss", directory, parts[part]);
  return length < 0 || (size_t)length >= sizeof file ? -1 : stat(file, status);
}

/* Of all sources: they are replaced together, but their author may change one. */
static int find_key(const char *directory, char key[CHEZ_CACHE_KEY]) {
  uint64_t sum = 0;
  for (size_t i = 0; i < PARTS; i++) {
    struct stat status;
    if (look_at_part(directory, i, &status) != 0) return -1;
    sum = hash_mix(sum + (uint64_t)status.st_mtim.tv_sec);
    sum = hash_mix(sum + (uint64_t)status.st_mtim.tv_nsec);
    sum = hash_mix(sum + (uint64_t)status.st_size);
  }
  snprintf(key, CHEZ_CACHE_KEY, "%.30s %016llx", ASCRIBE_VERSION, (unsigned long long)sum);
  return 0;
}

int chez_cache_find(const char *directory, char path[PATH_MAX], char key[CHEZ_CACHE_KEY]) {
  if (find_cache(path) != 0 || find_key(directory, key) != 0) return -1;
  snprintf(path + strlen(path), PATH_MAX - strlen(path), "/" OF_DIRECTORY "%016llx",
           (unsigned long long)hash_text(directory), (unsigned long long)hash_text(key));
  return 0;
}

bool chez_cache_is_empty(const char *path) {
  const char *name = strrchr(path, '/') + 1;
  char *cache = memory_printed("%.*s", (int)(name - path), path);
  DIR *stream = opendir(cache);
  free(cache);
  bool is_empty = true;
  for (const struct dirent *entry; stream && (entry = readdir(stream));) {
    if (strncmp(entry->d_name, name, strlen(name)) == 0)
      is_empty = false;
    else if (strncmp(entry->d_name, name, OF_DIRECTORY_LENGTH) == 0)
      unlinkat(dirfd(stream), entry->d_name, 0);
  }
  if (stream) closedir(stream);
  return is_empty;
}
