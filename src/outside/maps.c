#include "outside/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/living_thread.h"

/* "start-end rwxp offset major:minor inode   path\n". Mappings without a path are "//anon", as in
 * the kernel's records. */
static bool parse_line(char *line, struct kernel_mapping *mapping) {
  char execute;
  int path = 0;
  uint64_t major, minor;
  if (sscanf(line,
             "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %" SCNx64 ":%" SCNx64 " %" SCNu64
             " %n",
             &mapping->start, &mapping->end, &execute, &mapping->offset, &major, &minor,
             &mapping->inode, &path) != 7 ||
      !path || execute != 'x' || mapping->end < mapping->start)
    return false;
  mapping->device = major << 32 | minor;
  line[strcspn(line, "\n")] = '\0';
  mapping->path = line[path] ? line + path : "//anon";
  return true;
}

int maps_read(uint32_t pid, void (*see)(void *context, const struct kernel_mapping *mapping),
              void *context) {
  char path[64], *line = NULL;
  size_t room = 0;
  snprintf(path, sizeof path, "/proc/%u/maps", living_thread(pid));
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  errno = 0;
  while (getline(&line, &room, file) > 0) {
    struct kernel_mapping mapping = {.pid = pid, .tid = pid};
    if (parse_line(line, &mapping)) see(context, &mapping);
  }
  int status = ferror(file) ? -1 : 0, error = errno;
  free(line);
  fclose(file);
  errno = error;
  return status;
}
