#include "cli/chez_cache.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"

static int find_cache(char path[PATH_MAX]) {
  const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  bool is_named = cache && cache[0] == '/';
  if (!is_named && (!home || home[0] != '/')) return -1;
  int length = snprintf(path, PATH_MAX, "%s%s", is_named ? cache : home, is_named ? "" : "/.cache");
  if (length < 0 || length >= PATH_MAX - 64) return -1;
  mkdir(path, 0700);
  strcat(path, "/ascribe"); /* there is room: see above */
  mkdir(path, 0700);
  struct stat status;
  if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return -1;
  return status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -1;
}

/* Of all sources: they are replaced together, but their author may change one. */
static int find_key(const char *directory, char key[CHEZ_CACHE_KEY]) {
  static const char *const parts[] = {"",       "-points", "-records", "-instrument",
                                      "-ahead", "-session"};
  uint64_t sum = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char file[PATH_MAX];
    struct stat status;
    int length = snprintf(file, sizeof file, "%s/ascribe-chez%s.ss", directory, parts[i]);
    if (length < 0 || (size_t)length >= sizeof file || stat(file, &status) != 0) return -1;
    sum = hash_mix(sum + (uint64_t)status.st_mtim.tv_sec);
    sum = hash_mix(sum + (uint64_t)status.st_mtim.tv_nsec);
    sum = hash_mix(sum + (uint64_t)status.st_size);
  }
  snprintf(key, CHEZ_CACHE_KEY, "%.30s %016llx", ASCRIBE_VERSION, (unsigned long long)sum);
  return 0;
}

int chez_cache_find(const char *directory, char path[PATH_MAX], char key[CHEZ_CACHE_KEY]) {
  if (find_cache(path) != 0 || find_key(directory, key) != 0) return -1;
  snprintf(path + strlen(path), PATH_MAX - strlen(path), "/chez-%016llx",
           (unsigned long long)hash_text(directory));
  return 0;
}
