/* ascribe record: run a program, keep what it recorded as a profile.
 *
 * The program is the user's and comes first: it gets its signals, its output stays its own, and
 * its exit status becomes ours. What goes wrong on our side is said in one line and gives 125. */
#include "cli/commands.h"

#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>

#include "cli/launch.h"
#include "cli/obstacle.h"
#include "cli/preload.h"
#include "cli/record_options.h"
#include "cli/record_outside.h"
#include "cli/record_save.h"
#include "cli/temporary.h"

static bool cycles_counted(const struct recording *recording) {
  for (size_t i = 0; i < recording->process_count; i++)
    if (recording->processes[i].header.tick_source == TICK_TSC) return true;
  return false;
}

/* Returns 0 when the profile was saved. */
static int save(const struct record_options *options, const char *directory) {
  const char *program = options->program[0];
  struct recording *recording;
  struct error error;
  size_t skipped = 0;
  if (temporary_is_empty(directory)) {
    const char *obstacle = obstacle_find(program, ROAD_INSIDE);
    fprintf(stderr, "ascribe: nothing was recorded: %s %s\n", program,
            obstacle ? obstacle
                     : "did not load the runtime (it or its interpreter cleared "
                       "LD_PRELOAD, or the disk is full)");
    return -1;
  }
  if (recording_open(directory, &recording, &skipped, &error)) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    return -1;
  }
  if (options->cycle_clock && !cycles_counted(recording))
    fprintf(stderr,
            "ascribe: no cycles were counted: %s has no clock reads, or this machine's "
            "counter is uneven; build with `ascribe cc --clock=tsc`; ticks were used\n",
            program);
  int status = record_save(options, recording, program);
  recording_close(recording);
  return status;
}

/* By the runtime inside the program. */
static int record_inside(const struct record_options *options) {
  char directory[PATH_MAX];
  struct error error;
  if (temporary_create(directory, &error)) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    return STATUS_OURS;
  }
  if (control_create(directory, &options->span, &error)) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    temporary_remove(directory);
    return STATUS_OURS;
  }
  int status;
  char preload[PATH_MAX], sanitizer[PATH_MAX], event[EVENT_VARIABLE_BYTES];
  bool preloads = preload_value(directory, preload) == 0 && preload_sanitizer(sanitizer) == 0;
  if (options->event.name) event_choice_variable(&options->event, event);
  struct launch launch = {.program = options->program,
                          .variables = {{"ASCRIBE_OUT", directory},
                                        {"ASCRIBE_QUIET", "1"},
                                        {"ASCRIBE_RATE", options->rate},
                                        {"ASCRIBE_CLOCK", options->cycle_clock ? "tsc" : NULL},
                                        {"ASCRIBE_STACKS", options->stacks ? "1" : NULL},
                                        {"ASCRIBE_EVENT", options->event.name ? event : NULL},
                                        {"ASAN_OPTIONS", preloads ? sanitizer : NULL},
                                        {"LD_PRELOAD", preloads ? preload : NULL}}};
  if (launch_run(&launch, &status)) {
    temporary_remove(directory);
    return launch_failed(options->program[0]);
  }
  bool recorded = !temporary_is_empty(directory);
  if (save(options, directory)) {
    if (recorded)
      fprintf(stderr, "ascribe: the recording is kept: ascribe report %s\n", directory);
    else
      temporary_remove(directory);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return STATUS_OURS;
    return launch_end_as(status);
  }
  temporary_remove(directory);
  return launch_end_as(status);
}

int command_record(int count, char **arguments) {
  static char name[] = "ascribe record"; /* for getopt's messages */
  struct record_options options = {0};
  arguments[0] = name;
  int stop = record_options_parse(count, arguments, &options);
  if (stop) return stop - 1;
  if (options.pid) return record_running(&options);
  return options.outside ? record_outside(&options) : record_inside(&options);
}
