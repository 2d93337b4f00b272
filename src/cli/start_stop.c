/* ascribe start, ascribe stop: ticks and counts of a program that is being recorded. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/control_file.h"
#include "cli/next_option.h"
#include "cli/seconds.h"

enum { STATUS_WRONG_USE = 2 };

static const char start_usage[] = "usage: ascribe start [options] PID\n"
                                  "\n"
                                  "Go on taking ticks and counting calls in the recording that "
                                  "process PID takes part in: in all\n"
                                  "its processes, and those that they will start.\n"
                                  "\n"
                                  "  -d, --duration SECONDS  stop again after this time\n"
                                  "  -h, --help              show this\n";

static const char stop_usage[] =
    "usage: ascribe stop PID\n"
    "\n"
    "Take no more ticks and count no more calls in the recording that process PID takes part in: "
    "in\n"
    "all its processes, and those that they will start.  The program goes on.\n"
    "\n"
    "  -h, --help  show this\n";

static int wrong_use(const char *command, const char *problem, const char *text) {
  fprintf(stderr, "%s: %s%s; try %s --help\n", command, problem, text, command);
  return -1;
}

static int parse_pid(const char *command, int count, char **words, pid_t *pid) {
  char *end;
  if (count == 0) return wrong_use(command, "which process? Give its PID", "");
  if (count > 1) return wrong_use(command, "only one PID, not also ", words[1]);
  errno = 0;
  long number = strtol(words[0], &end, 10);
  if (errno || end == words[0] || *end || number < 1 || number > INT_MAX)
    return wrong_use(command, "expected the number of a process, not ", words[0]);
  *pid = (pid_t)number;
  return 0;
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(const char *usage, bool start, int count, char **arguments,
                         struct control_span *span) {
  static const struct option known[] = {
      {"duration", required_argument, NULL, 'd'}, {"help", no_argument, NULL, 'h'}, {0}};
  const char *command = arguments[0];
  int option;
  while ((option = next_option(count, arguments, start ? "d:h" : "h", known + !start)) != -1) {
    if (option == 'h') return fputs(usage, stdout) < 0 ? -1 : 1;
    if (option != 'd') return -1;
    if (seconds_parse(optarg, &span->duration_ns) || !span->duration_ns)
      return wrong_use(command, "--duration: expected a number of seconds above 0, not ", optarg);
  }
  return 0;
}

static int run(char *command, const char *usage, bool start, int count, char **arguments) {
  struct control_span span = {.stopped = !start};
  struct error error;
  pid_t pid;
  arguments[0] = command; /* for getopt's messages */
  int parsed = parse_options(usage, start, count, arguments, &span);
  if (parsed == 0) parsed = parse_pid(command, count - optind, arguments + optind, &pid);
  if (parsed != 0) return parsed > 0 ? EXIT_SUCCESS : STATUS_WRONG_USE;
  struct recording_control *control;
  if (control_find(pid, &control, &error) != 0) {
    fprintf(stderr, "%s: %s\n", command, error.text);
    return EXIT_FAILURE;
  }
  control_set(control, &span);
  return EXIT_SUCCESS;
}

int command_start(int count, char **arguments) {
  static char name[] = "ascribe start";
  return run(name, start_usage, true, count, arguments);
}

int command_stop(int count, char **arguments) {
  static char name[] = "ascribe stop";
  return run(name, stop_usage, false, count, arguments);
}
