#include "symbols/source_path.h"

#include <string.h>

static int is_component(const char *component, size_t length, const char *name) {
  return length == strlen(name) && memcmp(component, name, length) == 0;
}

void source_path_normalise(char *path) {
  if (path[0] != '/') return;
  const char *from = path;
  char *to = path; /* all before it is done and does not end in a slash */
  while (*from) {
    from += strspn(from, "/");
    size_t length = strcspn(from, "/");
    if (is_component(from, length, "..")) {
      while (to > path && *--to != '/')
        ;
    } else if (length > 0 && !is_component(from, length, ".")) {
      *to++ = '/';
      memmove(to, from, length);
      to += length;
    }
    from += length;
  }
  if (to == path) *to++ = '/';
  *to = '\0';
}
