#include "instrument/wrapper/told_once.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* FNV-1a: names the stamp after the text. */
static uint32_t hash(const char *text) {
  uint32_t value = 2166136261u;
  for (; *text; text++)
    value = (value ^ (unsigned char)*text) * 16777619u;
  return value;
}

bool told_once_is_new(const char *text) {
  const char *directory = getenv("XDG_RUNTIME_DIR");
  char path[PATH_MAX];
  int length =
      snprintf(path, sizeof(path), "%s/ascribe-told-%lu-%08x",
               directory && *directory ? directory : "/tmp", (unsigned long)getuid(), hash(text));
  if (length < 0 || (size_t)length >= sizeof(path)) return true;
  int stamp = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (stamp < 0) return errno != EEXIST;
  close(stamp);
  return true;
}
