#include "cli/preload.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/support_files.h"

int preload_value(const char *directory, char value[PATH_MAX]) {
  char library[PATH_MAX];
  const char *others = getenv("LD_PRELOAD");
  if (support_file_find(SUPPORT_PRELOAD, library, sizeof library)) return -1;
  if (strpbrk(library, " :")) {
    char link[PATH_MAX];
    if (snprintf(link, sizeof link, "%s/" SUPPORT_PRELOAD, directory) >= (int)sizeof link ||
        symlink(library, link))
      return -1;
    strcpy(library, link);
  }
  bool more = others && *others;
  int length = snprintf(value, PATH_MAX, "%s%s%s", library, more ? ":" : "", more ? others : "");
  return length < PATH_MAX ? 0 : -1;
}

int preload_sanitizer(char value[PATH_MAX]) {
  const char *others = getenv("ASAN_OPTIONS");
  bool more = others && *others;
  int length = snprintf(value, PATH_MAX, "%s%sverify_asan_link_order=0", more ? others : "",
                        more ? ":" : "");
  return length < PATH_MAX ? 0 : -1;
}
