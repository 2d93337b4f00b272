#include "cli/private_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE "/ascribe.html"

static int write_page(const char *path, const char *address) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  FILE *out = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  if (!out) return -1;
  fprintf(out,
          "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>"
          "<meta http-equiv=refresh content=\"0;url=%s\"><title>Ascribe</title>"
          "<a href=\"%s\">The profile</a>\n",
          address, address);
  return fclose(out);
}

static int create_in(const char *parent, const char *address, char path[PATH_MAX]) {
  if (!parent || parent[0] != '/' ||
      snprintf(path, PATH_MAX - sizeof PAGE, "%s/ascribe-view-XXXXXX", parent) >=
          PATH_MAX - (int)sizeof PAGE)
    return -1;
  if (!mkdtemp(path)) return -1;
  strcat(path, PAGE); /* there is room: see above */
  if (write_page(path, address) == 0) return 0;
  private_page_remove(path);
  return -1;
}

int private_page_create(const char *address, char path[PATH_MAX], struct error *error) {
  const char *parents[] = {secure_getenv("XDG_RUNTIME_DIR"), secure_getenv("TMPDIR"), "/tmp"};
  for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
    if (create_in(parents[i], address, path) == 0) return 0;
  return error_set(error,
                   "no browser is started: a private page that leads it there cannot be written to"
                   " /tmp (%s); open the address above",
                   strerror(errno));
}

void private_page_remove(const char *path) {
  char directory[PATH_MAX];
  unlink(path);
  snprintf(directory, sizeof directory, "%.*s", (int)(strlen(path) - strlen(PAGE)), path);
  rmdir(directory);
}
