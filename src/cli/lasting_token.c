#include "cli/lasting_token.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_directories(char path[PATH_MAX]) {
  for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = '\0';
    bool there = mkdir(path, 0700) == 0 || errno == EEXIST;
    *at = '/';
    if (!there) return false;
  }
  return true;
}

static bool path_of_token(char path[PATH_MAX]) {
  const char *state = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");
  bool own = state && state[0] == '/';
  if (!own && (!home || home[0] != '/')) return false;
  int length = snprintf(path, PATH_MAX, "%s%s/ascribe/view-token", own ? state : home,
                        own ? "" : "/.local/state");
  return length < PATH_MAX && make_directories(path);
}

/* A file of this user's that nobody else may read. */
static bool read_token(const char *path, char token[LASTING_TOKEN_TEXT + 1]) {
  struct stat about;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  bool good = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
              about.st_uid == geteuid() && !(about.st_mode & 077) &&
              read(descriptor, token, LASTING_TOKEN_TEXT) == LASTING_TOKEN_TEXT;
  close(descriptor);
  token[LASTING_TOKEN_TEXT] = '\0';
  return good && strspn(token, "0123456789abcdef") == LASTING_TOKEN_TEXT;
}

static bool save_token(const char *path, const char *token) {
  char made[PATH_MAX + 8];
  snprintf(made, sizeof made, "%s.XXXXXX", path);
  int descriptor = mkostemp(made, O_CLOEXEC); /* mode 0600 */
  if (descriptor < 0) return false;
  bool written = write(descriptor, token, LASTING_TOKEN_TEXT) == LASTING_TOKEN_TEXT;
  written &= close(descriptor) == 0;
  if (written && rename(made, path) == 0) return true;
  unlink(made);
  return false;
}

static bool make_token(const char *path, char token[LASTING_TOKEN_TEXT + 1]) {
  unsigned char bytes[LASTING_TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
  for (int i = 0; i < LASTING_TOKEN_BYTES; i++)
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return save_token(path, token);
}

bool lasting_token(char token[LASTING_TOKEN_TEXT + 1]) {
  char path[PATH_MAX];
  return path_of_token(path) && (read_token(path, token) || make_token(path, token));
}
