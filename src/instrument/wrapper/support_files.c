#include "instrument/wrapper/support_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/configuration.h"

static int try_directory(const char *directory, const char *subdirectory, const char *name,
                         char *path, size_t size) {
  char candidate[PATH_MAX];
  int length = snprintf(candidate, sizeof(candidate), "%s%s/%s", directory, subdirectory, name);
  if (length < 0 || (size_t)length >= sizeof(candidate) || (size_t)length >= size) return -1;
  if (access(candidate, R_OK) != 0) return -1;
  memcpy(path, candidate, (size_t)length + 1);
  return 0;
}

#define BUILT_INCLUDE "/../../include"

/* Relative to the directory of the program, in `count` places. */
static int try_beside_program(const char *const *places, size_t count, const char *name, char *path,
                              size_t size) {
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
  if (length <= 0) return -1;
  program[length] = '\0';
  char *slash = strrchr(program, '/');
  if (!slash) return -1;
  *slash = '\0';
  for (size_t i = 0; i < count; i++)
    if (try_directory(program, places[i], name, path, size) == 0) return 0;
  return -1;
}

int support_file_find(const char *name, char *path, size_t size) {
  /* Installed, then the folders of the build tree. */
  static const char *const places[] = {("/../" CONFIGURED_SUPPORT_SUBDIR), "/../instrument",
                                       "/../runtime", BUILT_INCLUDE};
  const char *directory = getenv("ASCRIBE_SUPPORT_DIR");
  if (directory && *directory) return try_directory(directory, "", name, path, size);
  if (try_beside_program(places, sizeof(places) / sizeof(places[0]), name, path, size) == 0)
    return 0;
  return try_directory(CONFIGURED_SUPPORT_DIR, "", name, path, size);
}

int support_include_find(char *path, size_t size) {
  static const char header[] = "/ascribe/ascribe.h";
  static const char *const places[] = {"/../" CONFIGURED_INCLUDE_SUBDIR, BUILT_INCLUDE};
  char found[PATH_MAX], whole[PATH_MAX];
  if (try_beside_program(places, sizeof(places) / sizeof(places[0]), header + 1, found,
                         sizeof(found)) != 0 ||
      !realpath(found, whole) || strlen(whole) - strlen(header) >= size)
    return -1;
  whole[strlen(whole) - strlen(header)] = '\0';
  if (strcmp(whole, "/usr/include") == 0 || strcmp(whole, "/usr/local/include") == 0) return -1;
  memcpy(path, whole, strlen(whole) + 1);
  return 0;
}
