#include "cli/record_outside.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/living_thread.h"
#include "cli/apart.h"
#include "cli/launch.h"
#include "cli/obstacle.h"
#include "cli/record_save.h"
#include "cli/temporary.h"
#include "outside/outside.h"

/* Can be read when the process has ended. -1 with errno. */
static int open_process(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Begin to look. 0, or -1: it has been said why not. */
static int open_outside(const struct record_options *options, pid_t pid, bool runs,
                        struct outside **outside) {
  struct outside_settings settings = {.pid = (uint32_t)pid,
                                      .runs = runs,
                                      .rate_hz = record_options_rate(options),
                                      .looks_hz = record_options_looks(options)};
  struct outside_limits limits;
  struct error error;
  if (outside_open(&settings, outside, &error)) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    return -1;
  }
  outside_limits(*outside, &limits);
  if (limits.small_buffers && !options->quiet)
    fprintf(stderr,
            "ascribe: this user may lock little memory for perf events, so only %u KB of each "
            "stack are copied; sudo sysctl kernel.perf_event_mlock_kb=16384 allows more\n",
            limits.stack_bytes / 1024);
  return 0;
}

static uint64_t duration(const struct record_options *options) {
  return options->span.duration_ns ? options->span.duration_ns : UINT64_MAX;
}

/* There is no recording that could be kept if the profile cannot be saved where it was to be. */
static int save_somewhere(const struct record_options *options, struct recording *recording,
                          const char *program) {
  struct record_options other = *options;
  char directory[PATH_MAX], path[PATH_MAX + 16];
  if (record_save(options, recording, NULL, program) == 0) return 0;
  if (temporary_create(directory, NULL)) return -1;
  snprintf(path, sizeof path, "%s/kept.ascribe", directory);
  other.output = path;
  other.ranks_apart = false;
  other.quiet = true;
  if (record_save(&other, recording, NULL, program) ==
      0) /* no leftover: leftovers.c leaves it alone */
    fprintf(stderr, "ascribe: the profile is kept: ascribe report %s\n", path);
  else
    temporary_remove(directory);
  return -1;
}

/* ---- a program that is started ---- */

struct saving {
  const struct record_options *options;
  struct outside *outside;
  int status; /* the program's */
};

static int save_started(void *argument) {
  const struct saving *saving = argument;
  int signal = WIFSIGNALED(saving->status) ? WTERMSIG(saving->status) : 0;
  struct recording *recording = outside_finish(saving->outside, signal);
  return save_somewhere(saving->options, recording, saving->options->program[0]);
}

/* Look until the program ends, and wait for it. */
static int watch_started(const struct record_options *options, struct outside *outside,
                         struct launched *launched, int *status) {
  int end = open_process(launched->pid);
  if (end >= 0 && outside_watch(outside, &end, 1, duration(options)) < 0 && !options->quiet)
    record_say_over(options);
  if (end >= 0) close(end);
  outside_stop(outside);
  return launch_wait(launched, status);
}

/* It has been said why nothing can be recorded. */
static int run_unrecorded(const struct record_options *options, struct launched *launched) {
  const char *program = options->program[0];
  int status;
  fprintf(stderr, "ascribe: nothing will be recorded; %s runs all the same\n", program);
  if (launch_release(launched)) return launch_failed(program);
  return launch_wait(launched, &status) ? STATUS_OURS : launch_end_as(status);
}

int record_outside(const struct record_options *options, bool in_any_case) {
  const char *program = options->program[0];
  struct launch launch = {.program = options->program};
  struct launched launched;
  struct outside *outside;
  int status;
  if (launch_hold(&launch, &launched)) return launch_failed(program);
  if (open_outside(options, launched.pid, false, &outside)) {
    if (in_any_case) return run_unrecorded(options, &launched);
    launch_abandon(&launched);
    return STATUS_OURS;
  }
  if (launch_release(&launched)) {
    outside_close(outside);
    return launch_failed(program);
  }
  if (watch_started(options, outside, &launched, &status)) status = 0;
  apart(save_started, &(struct saving){options, outside, status});
  outside_close(outside);
  return launch_end_as(status);
}

/* ---- a process that runs ---- */

/* What ends us otherwise is read here, and ends the recording. */
static int open_signals(sigset_t *old) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t ends;
  sigemptyset(&ends);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaddset(&ends, numbers[i]);
  sigprocmask(SIG_BLOCK, &ends, old);
  return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Pending signals have been heeded. */
static void close_signals(int signals, const sigset_t *old) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) > 0)
    ;
  close(signals);
  sigprocmask(SIG_SETMASK, old, NULL);
}

static int save_running(const struct record_options *options, struct outside *outside) {
  char pid[16];
  struct recording *recording = outside_finish(outside, 0);
  const char *name = recording->process_count ? recording->processes[0].executable : "";
  snprintf(pid, sizeof pid, "%u", options->pid);
  return save_somewhere(options, recording, *name ? name : pid);
}

static int check_running(uint32_t pid) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%u/exe", living_thread(pid));
  const char *reason;
  bool hides_points;
  if (obstacle_find(path, &reason, &hides_points) < REACH_NONE) return 0;
  fprintf(stderr, "ascribe: process %u %s\n", pid, reason);
  return -1;
}

static int cannot_find(uint32_t pid, int number) {
  uint32_t group = outside_process_of(pid);
  if (group && group != pid)
    fprintf(stderr, "ascribe: %u is a thread of process %u: --pid %u records all of it\n", pid,
            group, group);
  else
    fprintf(stderr, "ascribe: process %u cannot be recorded: %s\n", pid, strerror(number));
  return STATUS_OURS;
}

int record_running(const struct record_options *options) {
  struct outside *outside;
  sigset_t old;
  int process = open_process((pid_t)options->pid);
  if (process < 0) return cannot_find(options->pid, errno);
  if (check_running(options->pid) || open_outside(options, (pid_t)options->pid, true, &outside))
    return STATUS_OURS;
  int ends[] = {process, open_signals(&old)};
  if (!options->quiet) fprintf(stderr, "recording process %u; Ctrl-C ends it\n", options->pid);
  outside_watch(outside, ends, 2, duration(options));
  outside_stop(outside);
  close_signals(ends[1], &old);
  int saved = save_running(options, outside);
  outside_close(outside);
  close(process);
  return saved ? STATUS_OURS : 0;
}
