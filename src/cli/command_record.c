/* ascribe record: run a program, keep what it recorded as a profile.
 *
 * The program is the user's and comes first: it gets its signals, its output stays its own, and
 * its exit status becomes ours. What goes wrong on our side is said in one line, and gives 125 if
 * the program has not been started. */
#include "base/clock.h"
#include "base/descriptors.h"
#include "cli/chicken_link.h"
#include "cli/commands.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/apart.h"
#include "cli/launch.h"
#include "cli/leftovers.h"
#include "cli/obstacle.h"
#include "cli/preload.h"
#include "cli/record_options.h"
#include "cli/record_outside.h"
#include "cli/record_repeat.h"
#include "cli/record_save.h"
#include "cli/temporary.h"
#include "cli/view_live.h"
#include "instrument/wrapper/support_files.h"
#include "outside/waits.h"
#include "recording/filters.h"
#include "recording/process_ends.h"

/* --clock tsc and host: whether any process had what they read. */
static bool has_counter(const struct recording *recording, bool is_host) {
  for (size_t i = 0; i < recording->process_count; i++) {
    const struct process_recording *process = &recording->processes[i];
    if (process->header.tick_source == (is_host ? TICK_HOST : TICK_TSC) &&
        (!is_host || process->measures[0].event))
      return true;
  }
  return false;
}

static void tell_missing_counter(const struct record_options *options,
                                 const struct recording *recording) {
  if (!options->counter) return;
  bool is_host = strcmp(options->counter, "host") == 0;
  if (has_counter(recording, is_host)) return;
  fprintf(stderr,
          is_host
              ? "ascribe: %s is no language host with a clock of its own (ascribe/host.h): there "
                "are no times; leave out `--clock host`\n"
              : "ascribe: no cycles were counted: %s has no clock reads, or this machine's "
                "counter is unreliable; build with `ascribe cc --clock=tsc`; ticks were used\n",
          options->program[0]);
}

static uint64_t nanoseconds(const struct timeval *time) {
  return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

/* What we know of the program as its parent. */
struct lifetime {
  uint32_t parent;  /* this process */
  uint64_t user_ns; /* of the program and all that was waited for below it */
  uint64_t system_ns;
  uint64_t ended_ns; /* CLOCK_REALTIME */
  int signal;        /* that ended it, or 0 */
};

/* `before`: what children of ours had used before it. */
static struct lifetime lifetime_of(const struct rusage *before, int status) {
  struct rusage now;
  getrusage(RUSAGE_CHILDREN, &now);
  return (struct lifetime){.parent = (uint32_t)getpid(),
                           .user_ns = nanoseconds(&now.ru_utime) - nanoseconds(&before->ru_utime),
                           .system_ns = nanoseconds(&now.ru_stime) - nanoseconds(&before->ru_stime),
                           .ended_ns = clock_ns(CLOCK_REALTIME),
                           .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

struct saving {
  const struct record_options *options;
  const char *directory;
  struct waits *waits; /* null without --clock wall */
  const struct lifetime *lifetime;
};

/* Returns 0 when the profile was saved. */
static int save_recording(const struct saving *saving) {
  const struct record_options *options = saving->options;
  const struct lifetime *lifetime = saving->lifetime;
  const char *program = options->program[0];
  struct recording *recording;
  struct error error;
  size_t skipped = 0;
  if (recording_open(saving->directory, &recording, &skipped, &error)) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    return -1;
  }
  tell_missing_counter(options, recording);
  process_ends_child(recording, lifetime->parent, lifetime->ended_ns, lifetime->signal);
  process_ends_complete(recording, lifetime->user_ns, lifetime->system_ns);
  if (saving->waits) waits_tell(saving->waits, recording);
  int status = record_save(options, recording, saving->directory, program);
  recording_close(recording);
  return status;
}

/* A recording needs 1 MiB that may be a hole, and some of it at once. */
enum { FILE_LEAST = 1 << 20, ROOM_LEAST = 64 << 10 };

/* Why the program made no recording in the directory, where its file did not tell. */
static void tell_why_empty(const char *program, const char *directory) {
  struct rlimit size = {RLIM_INFINITY, RLIM_INFINITY};
  struct statvfs disk;
  fprintf(stderr, "ascribe: nothing was recorded: %s ", program);
  getrlimit(RLIMIT_FSIZE, &size);
  if (size.rlim_cur < FILE_LEAST)
    fprintf(stderr, "may only write files of %ju KiB (ulimit -f), but a recording needs 1 MiB\n",
            (uintmax_t)size.rlim_cur >> 10);
  else if (statvfs(directory, &disk) == 0 && disk.f_bavail * disk.f_frsize < ROOM_LEAST)
    fprintf(stderr,
            "had no room for it: %ju KiB are free at %s; free some, or set ASCRIBE_TMPDIR to a "
            "directory with room\n",
            (uintmax_t)(disk.f_bavail * disk.f_frsize) >> 10, directory);
  else
    fprintf(stderr,
            "did not load the runtime (it or its interpreter cleared LD_PRELOAD), or had no room "
            "for a recording (a full disk, ulimit -v)\n");
}

/* Returns 0 when the profile was saved. */
static int try_to_save(void *argument) {
  const struct saving *saving = argument;
  if (!temporary_is_empty(saving->directory)) return save_recording(saving);
  tell_why_empty(saving->options->program[0], saving->directory);
  return -1;
}

/* A private directory, with the control file: null where it cannot be made and is not needed. */
static int prepare(const struct record_options *options, char directory[PATH_MAX],
                   struct recording_control **control) {
  const struct control_span *span = &options->span;
  struct error error;
  *control = NULL;
  int made = temporary_create(directory, &error);
  if (made == 0 && control_create(directory, span, control, &error) == 0) return 0;
  if (made == 0 && !span->stopped && !span->delay_ns && !span->duration_ns) return 0;
  fprintf(stderr, "ascribe: %s\n", error.text);
  if (made == 0) temporary_remove(directory);
  return -1;
}

/* When --duration is over; none is never. */
static uint64_t over_ns(const struct control_span *span) {
  return span->duration_ns ? span->delay_ns + span->duration_ns : UINT64_MAX;
}

/* As launch_run; its threads are looked at while they wait. */
static int run_looked_at(const struct launch *launch, const struct record_options *options,
                         struct waits *waits, int *status) {
  struct launched launched;
  if (launch_hold(launch, &launched)) return -1;
  descriptors_allow();
  if (launch_release(&launched)) return -1;
  int end = (int)syscall(SYS_pidfd_open, launched.pid, 0);
  if (end >= 0 && waits_watch(waits, end, over_ns(&options->span)) < 0) {
    if (!options->quiet) record_say_over(options);
    waits_watch(waits, end, UINT64_MAX);
  }
  if (end >= 0) close(end);
  return launch_wait(&launched, status);
}

/* As launch_run; says when --duration is over, as the program may go on for long. */
static int run_for_some_time(const struct launch *launch, const struct record_options *options,
                             int *status) {
  struct launched launched;
  if (launch_hold(launch, &launched) || launch_release(&launched)) return -1;
  if (!launch_ends_within(&launched, over_ns(&options->span)) && !options->quiet)
    record_say_over(options);
  return launch_wait(&launched, status);
}

/* Those that we run under ourselves, as in a container: they only refuse. */
static void filters_in_place(char text[FILTERS_DIGITS + 1]) {
  char line[256];
  unsigned number = 0;
  FILE *status = fopen("/proc/self/status", "re");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, FILTERS_FIELD, strlen(FILTERS_FIELD)) == 0)
      number = (unsigned)strtoul(line + strlen(FILTERS_FIELD), NULL, 10);
  if (status) fclose(status);
  snprintf(text, FILTERS_DIGITS + 1, "%0*u", FILTERS_DIGITS, number % 100000);
}

static int run(const struct record_options *options, const char *directory, struct waits *waits,
               const int *files, int *status) {
  char preload[PATH_MAX], sanitizer[PATH_MAX], event[EVENT_VARIABLE_BYTES], looker[16];
  char filters[FILTERS_DIGITS + 1], heap[16];
  bool preloads =
      preload_value(directory, options->heap, record_options_mpi(options), preload) == 0 &&
      preload_sanitizer(sanitizer) == 0;
  bool stacks = options->stacks || waits;
  if (options->events.count) event_choices_variable(&options->events, event);
  snprintf(looker, sizeof looker, "%d", (int)getpid());
  snprintf(heap, sizeof heap, "%" PRIu32, options->heap);
  filters_in_place(filters);
  struct launch launch = {.program = options->program,
                          .files = files,
                          .variables = {{"ASCRIBE_OUT", directory},
                                        {"ASCRIBE_QUIET", "1"},
                                        {"ASCRIBE_PREPARED", directory},
                                        {"ASCRIBE_RATE", options->rate},
                                        {"ASCRIBE_CLOCK", options->counter},
                                        {"ASCRIBE_STACKS", stacks ? "1" : NULL},
                                        {"ASCRIBE_HEAP", options->heap ? heap : NULL},
                                        {"ASCRIBE_MPI", record_options_mpi(options) ? "1" : NULL},
                                        {"ASCRIBE_EVENT", options->events.count ? event : NULL},
                                        {FILTERS_VARIABLE, filters},
                                        {"ASCRIBE_LOOKER", waits ? looker : NULL},
                                        {"ASAN_OPTIONS", preloads ? sanitizer : NULL},
                                        {"LD_PRELOAD", preloads ? preload : NULL}}};
  if (waits) return run_looked_at(&launch, options, waits, status);
  return options->span.duration_ns ? run_for_some_time(&launch, options, status)
                                   : launch_run(&launch, status);
}

/* Who sets its default action by an instruction of its own is ended by the first tick. */
static void tell_of_signal(const char *program, int number) {
  if (number == SIGTRAP || number == SIGPROF)
    fprintf(stderr,
            "ascribe: %s was ended by SIG%s, a signal of the ticks: if it is not without ascribe, "
            "record it with --perf, which sends none\n",
            program, sigabbrev_np(number));
}

/* `shown`: where it is shown what was saved, or -1. */
static void save(const struct record_options *options, const char *directory, struct waits *waits,
                 const struct lifetime *lifetime, int shown) {
  struct record_options told = *options;
  told.saved = shown > 0 ? shown : 0;
  signal(SIGPIPE, SIG_IGN); /* who reads what we say may be gone; the recording is to be removed */
  bool recorded = !temporary_is_empty(directory);
  struct saving saving = {&told, directory, waits, lifetime};
  tell_of_signal(options->program[0], lifetime->signal);
  if (apart(try_to_save, &saving) && recorded) {
    leftovers_keep(directory);
    fprintf(stderr, "ascribe: the recording is kept: ascribe report %s\n", directory);
  } else
    temporary_remove(directory);
}

/* By the runtime inside the program. */
static int record_inside(const struct record_options *options) {
  char directory[PATH_MAX];
  struct recording_control *control;
  struct waits *waits = NULL;
  struct rusage before;
  struct error error;
  struct beside beside;
  int status;
  getrusage(RUSAGE_CHILDREN, &before);
  if (prepare(options, directory, &control)) return STATUS_OURS;
  uint32_t looks_hz = record_options_looks(options);
  if (looks_hz && waits_open(directory, control, looks_hz, &waits, &error)) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    temporary_remove(directory);
    return STATUS_OURS;
  }
  beside_begin(options->beside, directory, control, &beside);
  if (run(options, directory, waits, beside.files, &status) == 0) {
    struct lifetime lifetime = lifetime_of(&before, status);
    beside_note_end(options->beside, &beside);
    leftovers_see_to(options->quiet);
    save(options, directory, waits, &lifetime, beside.end);
    beside_finish(&beside);
    status = launch_end_as(status);
  } else {
    status = launch_failed(options->program[0]);
    beside_note_end(options->beside, &beside);
    temporary_remove(directory);
    beside_finish(&beside);
  }
  waits_close(waits);
  return status;
}

/* `reason` is the rest of a sentence about the program. */
static int run_unrecorded(const struct record_options *options, const char *reason,
                          const char *option) {
  const struct launch launch = {.program = options->program};
  const char *program = options->program[0];
  int status;
  fprintf(stderr, "ascribe: nothing will be recorded: %s %s%s%s; it runs all the same\n", program,
          reason, option ? ", and --perf has no " : "", option ? option : "");
  return launch_run(&launch, &status) ? launch_failed(program) : launch_end_as(status);
}

static int record_from_outside_instead(const struct record_options *options, const char *reason) {
  const char *option = record_options_inside_only(options);
  if (options->beside)
    fprintf(stderr, "ascribe: %s is recorded from outside, so nothing is shown while it runs\n",
            options->program[0]);
  if (option) return run_unrecorded(options, reason, option);
  if (!options->quiet)
    fprintf(stderr, "ascribe: %s %s: recording it from outside (--perf), without counts\n",
            options->program[0], reason);
  return record_outside(options, true);
}

static void tell_hidden_points(const char *program, bool is_static) {
  char words[CHICKEN_LINK_BYTES];
  if (chicken_link_words(is_static, words) == 0)
    fprintf(stderr,
            "ascribe: %s has CHICKEN linked into it, and Ascribe does not see its trace points; it "
            "does after csc -static -L '%s'\n",
            program, words);
}

/* What cannot be recorded is known before the program runs, which may take long. */
int record_program(const struct record_options *options) {
  const char *reason;
  bool hides_points;
  enum reach reach = obstacle_find(options->program[0], &reason, &hides_points);
  if (hides_points && reach <= REACH_OUTSIDE && !options->quiet)
    tell_hidden_points(options->program[0], reach == REACH_OUTSIDE);
  if (reach > REACH_OUTSIDE) return run_unrecorded(options, reason, NULL);
  if (options->outside) return record_outside(options, false);
  return reach == REACH_INSIDE ? record_inside(options)
                               : record_from_outside_instead(options, reason);
}

int command_record(int count, char **arguments) {
  struct record_options options = {0};
  int parsed = record_options_parse(count, arguments, &options);
  if (parsed != 0) return parsed > 0 ? EXIT_SUCCESS : STATUS_OURS;
  const uint32_t looks_hz =
      options.span.stopped || options.span.delay_ns || options.span.duration_ns
          ? 0
          : record_options_looks(&options);
  const struct beside_work viewing = view_beside(&looks_hz);
  if (options.view) options.beside = &viewing;
  if (record_save_check(&options)) return STATUS_OURS;
  if (options.repeat) return record_repeat(&options, record_program);
  return options.pid ? record_running(&options) : record_program(&options);
}
