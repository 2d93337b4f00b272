#include "cli/preload.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/wrapper/support_files.h"

/* A 32-bit program, which others may start, would complain of our library.  There may be none of
 * them, or no library for them. */
static void let_linker_choose(char library[PATH_MAX]) {
  char path[PATH_MAX];
  char *name = strrchr(library, '/');
  if (access("/lib/ld-linux.so.2", F_OK) != 0 ||
      support_file_find(SUPPORT_PRELOAD_32, path, sizeof path) != 0)
    return;
  size_t room = (size_t)(library + PATH_MAX - name);
  if (room > sizeof "/" SUPPORT_PRELOAD_PLATFORM) strcpy(name, "/" SUPPORT_PRELOAD_PLATFORM);
}

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
  } else {
    let_linker_choose(library);
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
