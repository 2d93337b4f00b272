#include "store/source_text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/source_place.h"

static char *read_whole(int descriptor, size_t size, size_t *bytes) {
  char *text = malloc(size + 1);
  size_t got = 0;
  while (text && got < size) {
    ssize_t count = read(descriptor, text + got, size - got);
    if (count <= 0) break;
    got += count;
  }
  if (text) text[got] = '\0';
  *bytes = got;
  return text;
}

/* ---- which files ---- */

bool source_is_closed(const struct stat *status) {
  return !(status->st_mode & (S_IRGRP | S_IROTH));
}

static bool is_older(int descriptor, int64_t before_ns) {
  struct statx made;
  if (!before_ns || statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &made) != 0 ||
      !(made.stx_mask & STATX_BTIME))
    return true;
  return made.stx_btime.tv_sec * 1000000000ll + made.stx_btime.tv_nsec <= before_ns;
}

/* A file that is closed to all others is source only by its name, and only in a program of the
 * file's own owner. Without root's rights we cannot read as another user does: what that user owns,
 * or everybody may read, stands in. */
static bool may_name(const struct source_claim *claim, const char *path,
                     const struct stat *status) {
  bool open_to_all = status->st_mode & S_IROTH, closed = source_is_closed(status);
  uid_t user = geteuid();
  if (claim->foreign) return user == 0 || open_to_all || status->st_uid == claim->owner;
  return !closed || (claim->own_object && status->st_uid == user && source_place_is_named(path));
}

/* The regular file at `path`, to be read, or -1. Anything else, a device above all, is only looked
 * at, not opened. */
static int open_source(const char *path, const struct source_claim *claim, struct stat *status) {
  char link[64], real[PATH_MAX];
  int place = open(path, O_PATH | O_CLOEXEC), descriptor = -1;
  if (place < 0) return -1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", place);
  ssize_t length = readlink(link, real, sizeof real - 1);
  if (length > 0) {
    real[length] = '\0';
    if (fstat(place, status) == 0 && S_ISREG(status->st_mode) && source_place_is_plausible(real) &&
        may_name(claim, real, status) && is_older(place, claim->before_ns))
      descriptor = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  }
  close(place);
  return descriptor;
}

/* ---- with whose rights ---- */

/* The kernel judges by these of the calling thread alone: without groups, as that user. Root's
 * power to read everything goes with them, and comes back with its own. */
static int open_as(const char *path, const struct source_claim *claim, struct stat *status) {
  enum { NO_GROUP = 65534, MOST_GROUPS = 65536 };
  gid_t group = getegid();
  int count = getgroups(0, NULL), descriptor = -1;
  gid_t *groups = count >= 0 && count <= MOST_GROUPS ? calloc(count + 1, sizeof *groups) : NULL;
  if (!groups || getgroups(count, groups) != count || syscall(SYS_setgroups, 0, NULL) != 0) {
    free(groups);
    return -1;
  }
  setfsgid(NO_GROUP);
  setfsuid(claim->owner);
  if ((uid_t)setfsuid((uid_t)-1) == claim->owner && (gid_t)setfsgid((gid_t)-1) == NO_GROUP)
    descriptor = open_source(path, claim, status);
  setfsuid(geteuid());
  setfsgid(group);
  syscall(SYS_setgroups, (size_t)count, groups);
  free(groups);
  return descriptor;
}

static int open_on_claim(const char *path, const struct source_claim *claim, struct stat *status) {
  if (claim->refused) return -1;
  return claim->foreign && geteuid() == 0 ? open_as(path, claim, status)
                                          : open_source(path, claim, status);
}

char *source_text_read(const char *path, const struct source_claim *claim,
                       struct source_budget *budget, size_t *bytes) {
  struct stat status;
  int descriptor = open_on_claim(path, claim, &status);
  if (descriptor < 0) return NULL;
  char *text = NULL;
  if ((size_t)status.st_size <= budget->file_bytes && (size_t)status.st_size <= budget->total_bytes)
    text = read_whole(descriptor, status.st_size, bytes);
  close(descriptor);
  if (text && memchr(text, '\0', *bytes)) {
    free(text);
    return NULL;
  }
  if (text) budget->total_bytes -= *bytes;
  if (text) budget->closed |= source_is_closed(&status);
  return text;
}
