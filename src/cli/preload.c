#include "cli/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/wrapper/support_files.h"

/* A 32-bit program, which others may start, would complain of our library.  There may be none of
 * them, or no library for them. */
static void let_linker_choose(const char *platform, char library[PATH_MAX]) {
  char path[PATH_MAX];
  char *name = strrchr(library, '/') + 1;
  if (access("/lib/ld-linux.so.2", F_OK) != 0 ||
      support_file_find(SUPPORT_PRELOAD_32, path, sizeof path) != 0)
    return;
  size_t room = (size_t)(library + PATH_MAX - name);
  if (room > strlen(platform)) strcpy(name, platform);
}

/* LD_PRELOAD has blanks and colons between its paths. */
static int library_path(const char *directory, const char *name, const char *platform,
                        char library[PATH_MAX]) {
  char link[PATH_MAX];
  if (support_file_find(name, library, PATH_MAX)) return -1;
  if (!strpbrk(library, " :")) {
    let_linker_choose(platform, library);
    return 0;
  }
  if (snprintf(link, sizeof link, "%s/%s", directory, name) >= (int)sizeof link ||
      symlink(library, link))
    return -1;
  strcpy(library, link);
  return 0;
}

int preload_value(const char *directory, bool heap, bool mpi, char value[PATH_MAX]) {
  char library[PATH_MAX], heap_library[PATH_MAX] = "", mpi_library[PATH_MAX] = "";
  const char *others = getenv("LD_PRELOAD");
  if (library_path(directory, SUPPORT_PRELOAD, SUPPORT_PRELOAD_PLATFORM, library)) return -1;
  if (heap && library_path(directory, SUPPORT_HEAP, SUPPORT_HEAP_PLATFORM, heap_library)) return -1;
  if (mpi && library_path(directory, SUPPORT_MPI, SUPPORT_MPI_PLATFORM, mpi_library)) return -1;
  bool more = others && *others;
  int length = snprintf(value, PATH_MAX, "%s%s%s%s%s%s%s", heap_library, heap ? ":" : "",
                        mpi_library, mpi ? ":" : "", library, more ? ":" : "", more ? others : "");
  return length < PATH_MAX ? 0 : -1;
}

int preload_sanitizer(char value[PATH_MAX]) {
  const char *others = getenv("ASAN_OPTIONS");
  bool more = others && *others;
  int length = snprintf(value, PATH_MAX, "%s%sverify_asan_link_order=0", more ? others : "",
                        more ? ":" : "");
  return length < PATH_MAX ? 0 : -1;
}
