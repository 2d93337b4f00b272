#include "cli/profile_file.h"
#include "attribution/recorded/normalise.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/progress.h"
#include "store/store.h"

static bool is_newer(const struct timespec *time, const struct timespec *other) {
  return time->tv_sec > other->tv_sec ||
         (time->tv_sec == other->tv_sec && time->tv_nsec > other->tv_nsec);
}

/* The newest of those found; null: there is none. `*count`: of how many. */
static char *newest_of(const glob_t *found, size_t *count) {
  struct timespec newest = {0};
  char *chosen = NULL;
  *count = 0;
  for (size_t i = 0; i < found->gl_pathc; i++) {
    struct stat status;
    if (stat(found->gl_pathv[i], &status) != 0 || (S_ISREG(status.st_mode) && !status.st_size))
      continue; /* empty: a name that is claimed for a profile */
    ++*count;
    if (chosen && !is_newer(&status.st_mtim, &newest)) continue;
    chosen = found->gl_pathv[i];
    newest = status.st_mtim;
  }
  return chosen ? memory_text(chosen) : NULL;
}

static int newest_profile(char **name, struct error *error) {
  glob_t found;
  size_t count = 0;
  char *chosen = NULL;
  if (glob("*.ascribe", 0, NULL, &found) == 0) {
    chosen = newest_of(&found, &count);
    globfree(&found);
  }
  if (!chosen)
    return error_set(error, "no *.ascribe here: make one with ascribe record, or name a file");
  if (count > 1)
    fprintf(stderr, "%s: %s, the newest of %zu profiles here\n", command_name(), chosen, count);
  *name = chosen;
  return 0;
}

int profile_file_find(const char *path, char **name, struct error *error) {
  if (!path) return newest_profile(name, error);
  *name = memory_text(path);
  return 0;
}

static int load_recording(const char *path, struct profile **profile, struct error *error) {
  struct recording *recording;
  size_t skipped = 0;
  if (recording_open(path, &recording, &skipped, error) != 0) return -1;
  if (skipped)
    fprintf(stderr, "%s: %s: %zu file%s in it cannot be read and %s left out\n", command_name(),
            path, skipped, skipped == 1 ? "" : "s", skipped == 1 ? "is" : "are");
  progress_begin();
  int result = profile_from_recording(recording, profile, error);
  progress_end();
  recording_close(recording);
  return result;
}

bool profile_file_is_recording(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return false;
  size_t length = strlen(path), suffix = strlen(RECORDING_SUFFIX);
  return S_ISDIR(status.st_mode) ||
         (length > suffix && strcmp(path + length - suffix, RECORDING_SUFFIX) == 0);
}

int profile_file_load(const char *path, struct profile **profile, struct error *error) {
  if (access(path, F_OK) != 0)
    return error_set(error, "%s cannot be read: %s", path, strerror(errno));
  return profile_file_is_recording(path) ? load_recording(path, profile, error)
                                         : store_load(path, profile, error);
}

static int add_recording(struct workspace *workspace, const char *path, struct error *error) {
  struct profile *profile;
  if (profile_file_load(path, &profile, error) != 0) return -1;
  return workspace_add_recorded(workspace, profile, path, error);
}

int profile_file_add(struct workspace *workspace, const char *path, struct error *error) {
  return profile_file_is_recording(path) ? add_recording(workspace, path, error)
                                         : workspace_add(workspace, path, error);
}
