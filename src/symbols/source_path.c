#include "symbols/source_path.h"

#include <stdbool.h>
#include <string.h>

static int is_component(const char *component, size_t length, const char *name) {
  return length == strlen(name) && memcmp(component, name, length) == 0;
}

static char *leave(const char *floor, char *to) {
  while (to > floor && *--to != '/')
    ;
  return to;
}

void source_path_normalise(char *path) {
  if (!*path) return;
  bool absolute = path[0] == '/';
  const char *from = path, *floor = path; /* before it no ".." leads out of a known folder */
  char *to = path;                        /* all before it is done and does not end in a slash */
  while (*from) {
    from += strspn(from, "/");
    size_t length = strcspn(from, "/");
    bool up = is_component(from, length, "..");
    if (up && (absolute || to > floor)) {
      to = leave(floor, to);
    } else if (length > 0 && !is_component(from, length, ".")) {
      if (absolute || to > path) *to++ = '/';
      memmove(to, from, length);
      to += length;
      if (up) floor = to;
    }
    from += length;
  }
  if (to == path) *to++ = absolute ? '/' : '.';
  *to = '\0';
}
