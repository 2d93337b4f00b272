#include "cli/record_repeat.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/launch.h"
#include "cli/merge_files.h"
#include "cli/record_save.h"
#include "cli/temporary.h"
#include "store/store.h"

struct repeated {
  const struct record_options *options;
  int (*record)(const struct record_options *options);
  char directory[PATH_MAX];
  char **files;
  size_t count; /* of runs with a profile */
  int status;   /* the first that is not 0 */
};

/* ---- signals ---- */

static volatile sig_atomic_t runner, stopped;

/* From another process: it meant the run. From the terminal, the run got it too. */
static void stop(int signal, siginfo_t *info, void *machine) {
  (void)machine;
  stopped = 1;
  if (info->si_code <= 0 && runner > 0) kill((pid_t)runner, signal);
}

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { STOPPING = sizeof stopping / sizeof *stopping };

static void handle_signals(struct sigaction old[STOPPING]) {
  struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < STOPPING; i++) {
    sigaction(stopping[i], NULL, &old[i]);
    if (old[i].sa_handler != SIG_IGN) sigaction(stopping[i], &action, NULL);
  }
}

static void restore_signals(const struct sigaction old[STOPPING]) {
  for (int i = 0; i < STOPPING; i++)
    sigaction(stopping[i], &old[i], NULL);
}

/* ---- runs ---- */

/* In a process of its own, as a run ends its process in the way of the program. */
static int run_once(const struct repeated *repeated, const char *file,
                    const struct sigaction old[STOPPING], int *status) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid == 0) {
    struct record_options options = *repeated->options;
    options.output = file;
    options.quiet = true;
    options.ranks_apart = false;
    restore_signals(old);
    exit(repeated->record(&options));
  }
  runner = pid;
  while (waitpid(pid, status, 0) < 0)
    if (errno != EINTR) return -1;
  runner = 0;
  return 0;
}

/* Whether the next run may follow. */
static bool run_another(struct repeated *repeated, const struct sigaction old[STOPPING]) {
  int status;
  char *file = memory_printed("%s/%zu.ascribe", repeated->directory, repeated->count + 1);
  if (run_once(repeated, file, old, &status) != 0) {
    perror("ascribe record: no process for the next run");
    repeated->status = STATUS_OURS << 8;
    free(file);
    return false;
  }
  bool whole = !stopped && !WIFSIGNALED(status);
  if (!repeated->status) repeated->status = status;
  /* A part of a run beside whole ones would say that runs differ. */
  if (access(file, R_OK) != 0 || (!whole && repeated->count)) {
    unlink(file);
    free(file);
    return false;
  }
  repeated->files[repeated->count++] = file;
  return whole;
}

/* ---- all of them ---- */

static int save(const struct repeated *repeated, struct error *error) {
  const struct record_options *options = repeated->options;
  struct merge_files files;
  char name[PATH_MAX];
  int result = 0;
  record_save_name(options, options->program[0], name);
  struct merge_request request = {
      .output = options->output ? name : NULL, .usual = name, .quiet = options->quiet};
  merge_files_begin(&files, true);
  for (size_t i = 0; i < repeated->count && result == 0; i++)
    result = merge_files_add(&files, repeated->files[i], repeated->files[i], error);
  if (result == 0) result = merge_files_save(&files, &request, error);
  merge_files_end(&files);
  return result;
}

/* Runs whose sum cannot be saved stay where they are. */
static void finish(struct repeated *repeated) {
  struct error error;
  signal(SIGPIPE, SIG_IGN); /* who reads what we say may be gone; the runs are to be removed */
  if (repeated->count && repeated->count < repeated->options->repeat)
    fprintf(stderr, "ascribe: %zu of %u runs were recorded\n", repeated->count,
            repeated->options->repeat);
  if (!repeated->count || save(repeated, &error) == 0) {
    temporary_remove(repeated->directory);
    return;
  }
  fprintf(stderr, "ascribe: %s\nthe runs are kept: ascribe report %s/1.ascribe, and others there\n",
          error.text, repeated->directory);
}

int record_repeat(const struct record_options *options,
                  int (*record)(const struct record_options *options)) {
  struct repeated repeated = {.options = options, .record = record};
  struct sigaction old[STOPPING];
  struct error error;
  if (temporary_create(repeated.directory, &error) != 0) {
    fprintf(stderr, "ascribe: %s\n", error.text);
    return STATUS_OURS;
  }
  repeated.files = memory_zeroed(options->repeat, sizeof *repeated.files);
  handle_signals(old);
  for (unsigned run = 0; run < options->repeat && run_another(&repeated, old); run++)
    ;
  finish(&repeated);
  restore_signals(old);
  for (size_t i = 0; i < repeated.count; i++)
    free(repeated.files[i]);
  free(repeated.files);
  return launch_end_as(repeated.status);
}
