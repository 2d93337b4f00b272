/* ascribe record: run a program, keep what it recorded as a profile.
 *
 * The program is the user's and comes first: it gets its signals, its output stays its own, and
 * its exit status becomes ours. What goes wrong on our side is said in one line and gives 125. */
#include "cli/commands.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "attribution/profile.h"
#include "base/error.h"
#include "cli/control_file.h"
#include "cli/launch.h"
#include "cli/preload.h"
#include "cli/seconds.h"
#include "cli/temporary.h"
#include "recording/reader.h"
#include "report/report.h"
#include "store/store.h"

enum { STATUS_OURS = 125, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

struct record_options {
  const char *output; /* null: base name of the program + ".ascribe" */
  const char *rate;   /* digits, or null */
  bool cycle_clock;
  bool stacks;
  struct control_span span;
  bool quiet;
  char **program;
};

static const char usage[] =
    "usage: ascribe record [options] [--] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Run PROGRAM and save its profile. Code built with `ascribe cc`, `c++` or `fc` is counted;\n"
    "of programs built otherwise, ticks look at the stack.\n"
    "\n"
    "  -o, --output FILE  save the profile as FILE (default: PROGRAM.ascribe here)\n"
    "  -r, --rate HZ      ticks a second of CPU time, 0 to 10000 (default: 1000); 0: counts only\n"
    "  -c, --clock CLOCK  cpu: ticks of CPU time (default); tsc: the cycle counter, read at every\n"
    "                     call and return of code built with `ascribe cc --clock=tsc`\n"
    "  -s, --stacks       look at the stack also where code is counted\n"
    "      --delay SEC    no ticks and no counts before so many seconds have passed\n"
    "      --duration SEC and then for so many seconds only; the program goes on\n"
    "      --stopped      none until `ascribe start PID`\n"
    "  -q, --quiet        no summary\n"
    "  -h, --help         show this\n";

/* ---- options ---- */

static int parse_rate(const char *text) {
  char *end;
  errno = 0;
  long rate = strtol(text, &end, 10);
  return errno || *end || end == text || rate < 0 || rate > 10000 ? -1 : 0;
}

static int parse_span(const char *name, const char *text, bool positive, uint64_t *ns) {
  if (seconds_parse(text, ns) == 0 && (*ns || !positive)) return 0;
  fprintf(stderr, "ascribe record: --%s %s: want a number of seconds%s\n", name, text,
          positive ? " above 0" : "");
  return STATUS_OURS + 1;
}

/* Processes see that they are to stop or start when a tick comes. */
static int check_span(const struct record_options *options) {
  const struct control_span *span = &options->span;
  const char *problem = NULL;
  if (!span->stopped && !span->delay_ns && !span->duration_ns) return 0;
  if (span->stopped && (span->delay_ns || span->duration_ns))
    problem =
        "--stopped goes with neither --delay nor --duration; `ascribe start --duration` may do";
  else if (options->cycle_clock || (options->rate && atoi(options->rate) == 0))
    problem = "--delay, --duration and --stopped need ticks: not with --clock tsc or --rate 0";
  if (!problem) return 0;
  fprintf(stderr, "ascribe record: %s\n", problem);
  return STATUS_OURS + 1;
}

/* 0: go on; else the exit status + 1. */
static int parse_options(int count, char **arguments, struct record_options *options) {
  enum { DELAY = 256, DURATION, STOPPED };
  static const struct option known[] = {
      {"output", required_argument, NULL, 'o'},  {"rate", required_argument, NULL, 'r'},
      {"clock", required_argument, NULL, 'c'},   {"stacks", no_argument, NULL, 's'},
      {"delay", required_argument, NULL, DELAY}, {"duration", required_argument, NULL, DURATION},
      {"stopped", no_argument, NULL, STOPPED},   {"quiet", no_argument, NULL, 'q'},
      {"help", no_argument, NULL, 'h'},          {0}};
  int option, wrong = 0;
  while ((option = getopt_long(count, arguments, "+o:r:c:sqh", known, NULL)) != -1) {
    switch (option) {
    case 'o':
      options->output = optarg;
      break;
    case 'r':
      if (parse_rate(optarg)) {
        fprintf(stderr, "ascribe record: --rate %s: want a number from 0 to 10000\n", optarg);
        return STATUS_OURS + 1;
      }
      options->rate = optarg;
      break;
    case 'c':
      options->cycle_clock = strcmp(optarg, "tsc") == 0;
      if (!options->cycle_clock && strcmp(optarg, "cpu") != 0) {
        fprintf(stderr, "ascribe record: --clock %s: want cpu or tsc\n", optarg);
        return STATUS_OURS + 1;
      }
      break;
    case 's':
      options->stacks = true;
      break;
    case DELAY:
      wrong = parse_span("delay", optarg, false, &options->span.delay_ns);
      break;
    case DURATION:
      wrong = parse_span("duration", optarg, true, &options->span.duration_ns);
      break;
    case STOPPED:
      options->span.stopped = true;
      break;
    case 'q':
      options->quiet = true;
      break;
    case 'h':
      fputs(usage, stdout);
      return EXIT_SUCCESS + 1;
    default:
      fputs("try: ascribe record --help\n", stderr);
      return STATUS_OURS + 1;
    }
    if (wrong) return wrong;
  }
  wrong = check_span(options);
  if (wrong) return wrong;
  options->program = arguments + optind;
  if (options->program[0]) return 0;
  fputs("ascribe record: no program given; try: ascribe record -- ./prog\n", stderr);
  return STATUS_OURS + 1;
}

static int cannot_start(const char *program) {
  int error = errno;
  const char *advice = error == ENOENT    ? "; is the path right?"
                       : error == EACCES  ? "; is it executable (chmod +x)?"
                       : error == ENOEXEC ? "; a script needs a first line like #!/bin/sh"
                                          : "";
  fprintf(stderr, "ascribe: cannot start %s: %s%s\n", program, strerror(error), advice);
  return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

/* ---- the profile ---- */

static void default_output(const char *program, char path[PATH_MAX]) {
  const char *slash = strrchr(program, '/');
  snprintf(path, PATH_MAX, "%s.ascribe", slash ? slash + 1 : program);
}

static bool cycles_counted(const struct recording *recording) {
  for (size_t i = 0; i < recording->process_count; i++)
    if (recording->processes[i].header.tick_source == TICK_TSC) return true;
  return false;
}

static int load_profile(const char *directory, const char *program, bool cycle_clock,
                        struct profile **profile) {
  struct recording *recording;
  struct error error;
  size_t skipped = 0;
  if (temporary_is_empty(directory)) {
    const char *obstacle = preload_obstacle(program);
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
  if (cycle_clock && !cycles_counted(recording))
    fprintf(stderr,
            "ascribe: no cycles were counted: %s has no clock reads, or this machine's "
            "counter is uneven; build with `ascribe cc --clock=tsc`; ticks were used\n",
            program);
  int status = profile_from_recording(recording, profile, &error);
  recording_close(recording);
  if (status) fprintf(stderr, "ascribe: %s\n", error.text);
  return status;
}

/* Returns 0 when the profile was saved. */
static int save(const struct record_options *options, const char *directory) {
  struct profile *profile;
  struct error error;
  char path[PATH_MAX];
  if (load_profile(directory, options->program[0], options->cycle_clock, &profile)) return -1;
  if (options->output)
    snprintf(path, sizeof path, "%s", options->output);
  else
    default_output(options->program[0], path);
  int status = store_save(profile, path, &error);
  if (!options->quiet) report_summary(profile, stderr);
  if (status)
    fprintf(stderr, "ascribe: %s\n", error.text);
  else if (!options->quiet)
    fprintf(stderr, "saved %s\n", path);
  profile_free(profile);
  return status;
}

int command_record(int count, char **arguments) {
  static char name[] = "ascribe record"; /* for getopt's messages */
  struct record_options options = {0};
  arguments[0] = name;
  int stop = parse_options(count, arguments, &options);
  if (stop) return stop - 1;

  char directory[PATH_MAX];
  struct error error;
  if (temporary_create(directory, &error)) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    return STATUS_OURS;
  }
  if (control_create(directory, &options.span, &error)) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    temporary_remove(directory);
    return STATUS_OURS;
  }
  int status;
  char preload[PATH_MAX];
  bool preloads = preload_value(directory, preload) == 0;
  struct launch launch = {.program = options.program,
                          .variables = {{"ASCRIBE_OUT", directory},
                                        {"ASCRIBE_QUIET", "1"},
                                        {"ASCRIBE_RATE", options.rate},
                                        {"ASCRIBE_CLOCK", options.cycle_clock ? "tsc" : NULL},
                                        {"ASCRIBE_STACKS", options.stacks ? "1" : NULL},
                                        {"LD_PRELOAD", preloads ? preload : NULL}}};
  if (launch_run(&launch, &status)) {
    temporary_remove(directory);
    return cannot_start(options.program[0]);
  }
  bool recorded = !temporary_is_empty(directory);
  if (save(&options, directory)) {
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
