#ifndef ASCRIBE_BASE_BASE_NAME_H
#define ASCRIBE_BASE_BASE_NAME_H

#include <string.h>

/* The last part of a path, behind its last slash: the path itself where nothing follows that, or
 * there is none. A part of `path`; null of null. */
static inline const char *base_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash && slash[1] ? slash + 1 : path;
}

#endif
