/* ascribe start, ascribe stop: ticks and counts of a program that is being recorded. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/control_file.h"
#include "cli/option_tables.h"
#include "cli/seconds.h"

static int take_option(void *at, int option) {
  struct control_span *span = at;
  if (option != OPTION_DURATION) return OPTION_UNTAKEN;
  if (seconds_parse(optarg, &span->duration_ns) == 0 && span->duration_ns) return 0;
  return wrong_use("--duration: expected a number of seconds above 0, not %s", optarg);
}

static int parse_pid(int count, char **words, pid_t *pid) {
  char *end;
  if (count == 0) return wrong_use("which process? Give its PID");
  if (count > 1) return wrong_use("only one PID, not also %s", words[1]);
  errno = 0;
  long number = strtol(words[0], &end, 10);
  if (errno || end == words[0] || *end || number < 1 || number > INT_MAX)
    return wrong_use("expected the number of a process, not %s", words[0]);
  *pid = (pid_t)number;
  return 0;
}

static int run(const struct option_table *options, bool start, int count, char **arguments) {
  struct control_span span = {.stopped = !start};
  struct recording_control *control;
  struct error error;
  pid_t pid = 0;
  int parsed = options_take(options, take_option, NULL, count, arguments, &span);
  if (parsed == 0) parsed = parse_pid(count - optind, arguments + optind, &pid);
  if (parsed != 0) return parsed > 0 ? EXIT_SUCCESS : STATUS_WRONG_USE;
  if (control_find(pid, &control, &error) != 0) return command_failed(&error);
  control_set(control, &span);
  return EXIT_SUCCESS;
}

int command_start(int count, char **arguments) {
  return run(&options_start, true, count, arguments);
}

int command_stop(int count, char **arguments) {
  return run(&options_stop, false, count, arguments);
}
