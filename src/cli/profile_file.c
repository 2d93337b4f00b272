#include "cli/profile_file.h"
#include "attribution/interval.h"
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
#include "cli/seconds.h"
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

static bool is_recording(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return false;
  size_t length = strlen(path), suffix = strlen(RECORDING_SUFFIX);
  return S_ISDIR(status.st_mode) ||
         (length > suffix && strcmp(path + length - suffix, RECORDING_SUFFIX) == 0);
}

/* ---- FILE@FROM-TO ---- */

/* The @ before an interval; null: it is the name of a file, or of nothing. */
static const char *interval_mark(const char *name) {
  const char *mark = strrchr(name, '@');
  if (!mark || access(name, F_OK) == 0) return NULL;
  char *path = memory_printed("%.*s", (int)(mark - name), name);
  bool found = access(path, F_OK) == 0;
  free(path);
  return found ? mark : NULL;
}

/* "2s-5s"; without the first from the start, without the last to the end. */
static int parse_interval(const char *text, struct profile_interval *interval,
                          struct error *error) {
  *interval = (struct profile_interval){0, UINT64_MAX};
  const char *at = *text == '-' ? text : seconds_read(text, &interval->from_ns);
  bool whole = at && at[0] == '-' && (!at[1] || seconds_parse(at + 1, &interval->to_ns) == 0);
  if (whole && strlen(text) > 1 && interval->from_ns < interval->to_ns) return 0;
  return error_set(error,
                   "@%s is no interval of a run: write @FROM-TO in seconds, such as @2-5, "
                   "@500ms-2s or @10-",
                   text);
}

char *profile_file_path(const char *name) {
  const char *mark = interval_mark(name);
  return mark ? memory_printed("%.*s", (int)(mark - name), name) : memory_text(name);
}

bool profile_file_is_stored(const char *name) {
  return !interval_mark(name) && !is_recording(name);
}

/* ---- loading ---- */

static int load(const char *path, bool series, struct profile **profile, struct error *error) {
  if (access(path, F_OK) != 0)
    return error_set(error, "%s cannot be read: %s", path, strerror(errno));
  if (is_recording(path)) return load_recording(path, profile, error);
  return series ? store_load_series(path, profile, error) : store_load(path, profile, error);
}

static int load_interval(const char *path, const char *text, struct profile **profile,
                         struct error *error) {
  struct profile_interval interval;
  struct error reason;
  if (parse_interval(text, &interval, error) != 0 || load(path, true, profile, error) != 0)
    return -1;
  if (interval_take(*profile, interval, &reason) == 0) return 0;
  profile_free(*profile);
  *profile = NULL;
  return error_set(error, "%s@%s: %s", path, text, reason.text);
}

int profile_file_load(const char *name, bool series, struct profile **profile,
                      struct error *error) {
  const char *mark = interval_mark(name);
  if (!mark) return load(name, series, profile, error);
  char *path = profile_file_path(name);
  int result = load_interval(path, mark + 1, profile, error);
  free(path);
  return result;
}

static int add_made(struct workspace *workspace, const char *name, struct error *error) {
  struct profile *profile;
  if (profile_file_load(name, false, &profile, error) != 0) return -1;
  char *path = profile_file_path(name);
  const char *file = is_recording(path) ? NULL : path;
  int result = workspace_add_made(workspace, profile, name, file, error);
  free(path);
  return result;
}

int profile_file_add(struct workspace *workspace, const char *name, struct error *error) {
  return profile_file_is_stored(name) ? workspace_add(workspace, name, error)
                                      : add_made(workspace, name, error);
}
