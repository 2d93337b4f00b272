#include "cli/record_save.h"
#include "attribution/recorded/normalise.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribution/messages/message_delays.h"
#include "base/base_name.h"
#include "base/name_pattern.h"
#include "cli/left_running.h"
#include "cli/profile_output.h"
#include "cli/progress.h"
#include "profile/profile.h"
#include "report/report.h"

#define BOOT_ID_BYTES 64

/* Without .ascribe. */
static int stem_length(const char *name) {
  size_t length = strlen(name), suffix = strlen(PROFILE_SUFFIX);
  bool ends = length >= suffix && strcmp(name + length - suffix, PROFILE_SUFFIX) == 0;
  return (int)(ends ? length - suffix : length);
}

/* `ascribe scheme` runs as scheme. */
static const char *name_of_program(const struct record_options *options, const char *program) {
  const char *name = base_name(program);
  bool is_scheme = !options->pid && strcmp(name, "ascribe") == 0 && options->program[1] &&
                   strcmp(options->program[1], "scheme") == 0;
  return is_scheme ? options->program[1] : name;
}

/* What -o says, or PROGRAM.ascribe. */
static void name_of_job(const struct record_options *options, const char *program,
                        char path[PATH_MAX]) {
  if (options->output)
    snprintf(path, PATH_MAX, "%s", options->output);
  else
    snprintf(path, PATH_MAX, "%s" PROFILE_SUFFIX, name_of_program(options, program));
}

void record_save_name(const struct record_options *options, const char *program,
                      char path[PATH_MAX]) {
  char job[PATH_MAX];
  name_of_job(options, program, path);
  if (!options->ranks_apart) return;
  snprintf(job, sizeof job, "%s", path);
  if (snprintf(path, PATH_MAX, "%.*s.%" PRIu32 PROFILE_SUFFIX, stem_length(job), job,
               options->rank.rank) >= PATH_MAX)
    path[0] = '\0'; /* no file has that name: saving says so */
}

/* Which start of which machine this is: its processes have one time-stamp counter. Null: unknown.
 */
static const char *read_boot(char boot[BOOT_ID_BYTES]) {
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  bool read = file && fgets(boot, BOOT_ID_BYTES, file);
  if (file) fclose(file);
  if (read) boot[strcspn(boot, "\n")] = 0;
  return read ? boot : NULL;
}

/* All processes of a rank are its. */
static void put_rank(const struct job_rank *rank, struct profile *profile) {
  char room[BOOT_ID_BYTES];
  const char *boot = read_boot(room);
  for (size_t i = 0; i < profile->process_count && rank->known; i++) {
    struct profile_process *process = &profile->processes[i];
    process->rank_number = rank->rank + 1;
    process->ranks = rank->size;
    process->job = pool_string(profile->pool, rank->job);
    process->clock = pool_string(profile->pool, boot);
    if (rank->node) process->host = pool_string(profile->pool, rank->node);
  }
  message_delays_bound(profile);
}

/* Rank 0 speaks for all. */
static void say_ranks(const struct record_options *options, const char *program) {
  char job[PATH_MAX];
  if (!options->ranks_apart) return;
  name_of_job(options, program, job);
  fprintf(stderr,
          "this is the profile of rank 0; each other rank saves one. All in one: ascribe "
          "merge -o "
          "%s %.*s.[0-9]*" PROFILE_SUFFIX "\n",
          job, stem_length(job), job);
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

/* To whoever shows the program; it may have ended. */
static void tell_saved(const struct record_options *options, const char *path) {
  if (!options->saved) return;
  ssize_t told = write(options->saved, path, strlen(path));
  (void)told;
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
  record_save_name(options, program, name);
  put_rank(&options->rank, profile);
  int status = profile_output_save(&output, profile, &error);
  if (status == 0) tell_saved(options, output.saved);
  if (!options->quiet) report_summary(profile, stderr);
  if (!options->quiet) say_unfit_patterns(profile);
  if (status)
    fprintf(stderr, "ascribe: %s\n", error.text);
  else if (!options->quiet) {
    profile_output_say(&output);
    say_ranks(options, program);
  }
  if (!options->quiet && !options->pid) say_running(running, pid);
  profile_free(profile);
  return status;
}

int record_save_check(const struct record_options *options) {
  char name[PATH_MAX];
  struct profile_output output = {.asked = options->output ? name : NULL, .usual = name};
  struct error error;
  record_save_name(options, options->pid ? "PROGRAM" : options->program[0], name);
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
