#include "cli/record_save.h"
#include "attribution/recorded/normalise.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/name_pattern.h"
#include "cli/left_running.h"
#include "cli/profile_output.h"
#include "cli/progress.h"
#include "profile/profile.h"
#include "report/report.h"

void record_save_name(const char *program, char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%s.ascribe", base_name(program));
}

static bool any_centre_fits(const struct profile *profile, const char *pattern) {
  size_t count = profile->centres ? profile->centres->function_count : 0;
  for (size_t i = 0; i < count; i++)
    if (name_fits(pattern, profile->centres->functions[i].name)) return true;
  return false;
}

/* A wrong name in ASCRIBE_CENTRES leaves out all that are built in. */
static void say_unfit_patterns(const struct profile *profile) {
  const char *pattern = getenv("ASCRIBE_CENTRES");
  for (; pattern && *pattern; pattern = name_pattern_next(pattern)) {
    int length = (int)strcspn(pattern, ",");
    if (length && !any_centre_fits(profile, pattern))
      fprintf(stderr,
              "ascribe: ASCRIBE_CENTRES: the run entered no cost centre that is named %.*s\n",
              length, pattern);
  }
}

/* Only their past is in the profile. */
static void say_running(size_t count, uint32_t pid) {
  if (count == 1)
    fprintf(
        stderr,
        "ascribe: process %u still runs, and only its time until now is in the profile; to record "
        "it from here on: ascribe record --pid %u\n",
        pid, pid);
  else if (count)
    fprintf(stderr,
            "ascribe: %zu processes still run, and only their time until now is in the profile; to "
            "record one from here on: ascribe record --pid PID (process %u, for example)\n",
            count, pid);
}

int record_save(const struct record_options *options, struct recording *recording,
                const char *directory, const char *program) {
  struct profile *profile;
  struct error error;
  char name[PATH_MAX];
  struct profile_output output = {.asked = options->output ? name : NULL, .usual = name};
  uint32_t pid = 0;
  size_t running = left_running(recording, directory, &pid);
  progress_begin();
  int made = profile_from_recording(recording, &profile, &error);
  progress_end();
  if (made != 0) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    return -1;
  }
  if (options->output)
    snprintf(name, sizeof name, "%s", options->output);
  else
    record_save_name(program, name);
  int status = profile_output_save(&output, profile, &error);
  if (!options->quiet) report_summary(profile, stderr);
  if (!options->quiet) say_unfit_patterns(profile);
  if (status)
    fprintf(stderr, "ascribe: %s\n", error.text);
  else if (!options->quiet)
    profile_output_say(&output);
  if (!options->quiet && !options->pid) say_running(running, pid);
  profile_free(profile);
  return status;
}

int record_save_check(const struct record_options *options) {
  char name[PATH_MAX];
  struct profile_output output = {.asked = options->output, .usual = name};
  struct error error;
  record_save_name(options->pid ? "PROGRAM" : options->program[0], name);
  if (profile_output_check(&output, &error) == 0) return 0;
  fprintf(stderr, "ascribe record: %s\n", error.text);
  return -1;
}

void record_say_over(const struct record_options *options) {
  fprintf(stderr,
          "ascribe: recorded %g s; %s goes on, and its profile is saved when it ends (Ctrl-C "
          "ends it)\n",
          (double)options->span.duration_ns / 1e9, options->program[0]);
}
