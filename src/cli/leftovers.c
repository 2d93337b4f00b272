#include "cli/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/left_running.h"
#include "cli/profile_output.h"
#include "cli/temporary.h"
#include "recording/layout.h"

enum { DAY = 24 * 60 * 60 };

#define NAMED "named" /* an empty file: it has been said that the directory is there */

static bool is_recording(const char *name) {
  size_t length = strlen(name), suffix = strlen(RECORDING_SUFFIX);
  return length > suffix && strcmp(name + length - suffix, RECORDING_SUFFIX) == 0;
}

/* Whether the process that a file PID.N.recording is named after has it mapped. One that is not
 * seen from here (another namespace's) goes on with what it has mapped. */
static bool is_written(const char *path, const char *name) {
  unsigned pid;
  return sscanf(name, "%u.", &pid) == 1 && has_mapped(pid, path, true);
}

/* NUMBER.ascribe: what a rank of ascribe-mpi sent, or got; a run of `record --repeat`. */
static bool is_sum(const char *name) {
  size_t digits = strspn(name, "0123456789");
  return digits && strcmp(name + digits, PROFILE_SUFFIX) == 0;
}

struct contents {
  bool recordings; /* there are some */
  bool written;    /* a process records there; looked at where it is asked for */
  bool marked;     /* a recorder has made it, and nobody keeps it */
  bool foreign;    /* there is something that no recorder has made */
};

static struct contents look_into(const char *path, bool for_writers) {
  struct contents contents = {0};
  DIR *directory = opendir(path);
  if (!directory) return (struct contents){.foreign = true};
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    if (is_recording(entry->d_name)) {
      contents.recordings = true;
      if (for_writers && !contents.written) contents.written = is_written(path, entry->d_name);
    } else if (strcmp(entry->d_name, TEMPORARY_MARK) == 0)
      contents.marked = true;
    else if (strcmp(entry->d_name, CONTROL_NAME) != 0 && strcmp(entry->d_name, NAMED) != 0 &&
             !is_sum(entry->d_name))
      contents.foreign = true;
  }
  closedir(directory);
  return contents;
}

static bool mark(int directory, const char *name) {
  int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

void leftovers_keep(const char *path) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (directory < 0) return;
  unlinkat(directory, TEMPORARY_MARK, 0);
  close(directory);
}

static void see_to(const char *path, int directory, bool quiet) {
  struct stat status;
  if (fstat(directory, &status) || status.st_uid != geteuid() || !S_ISDIR(status.st_mode) ||
      (status.st_mode & 077) || flock(directory, LOCK_EX | LOCK_NB))
    return;
  /* Its time is that of the last file made there: of the mark, then. */
  bool is_old = time(NULL) - status.st_mtime > DAY;
  /* There may be hundreds, with thousands of recordings: look at processes only for what goes. */
  if (!is_old && (quiet || faccessat(directory, NAMED, F_OK, 0) == 0)) return;
  struct contents contents = look_into(path, is_old);
  if (!contents.marked || contents.foreign) return;
  if (!contents.recordings) {
    if (is_old) temporary_remove(path);
    return;
  }
  if (!contents.written && is_old) {
    temporary_remove(path);
    if (!quiet)
      fprintf(stderr, "ascribe: deleted %s, which an earlier recording that was killed had left\n",
              path);
  } else if (!quiet && mark(directory, NAMED))
    fprintf(stderr,
            "ascribe: an earlier recording was killed and left %s; to see it: ascribe report %s; "
            "it is deleted in a day\n",
            path, path);
}

static void see_to_parent(const char *parent, bool quiet) {
  static const char pattern[] = "ascribe-XXXXXX";
  char path[PATH_MAX];
  DIR *found = opendir(parent);
  if (!found) return;
  for (struct dirent *entry; (entry = readdir(found));) {
    if (strlen(entry->d_name) != sizeof pattern - 1 || strncmp(entry->d_name, pattern, 8) != 0 ||
        snprintf(path, sizeof path, "%s/%s", parent, entry->d_name) >= (int)sizeof path)
      continue;
    int directory =
        openat(dirfd(found), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (directory < 0) continue;
    see_to(path, directory, quiet);
    close(directory);
  }
  closedir(found);
}

void leftovers_see_to(bool quiet) {
  const char *parents[TEMPORARY_PARENTS];
  size_t count = temporary_parents(parents);
  for (size_t i = 0; i < count; i++)
    see_to_parent(parents[i], quiet);
}
