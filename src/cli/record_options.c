#include "cli/record_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/seconds.h"

static const char usage[] =
    "usage: ascribe record [options] [--] PROGRAM [ARGUMENT...]\n"
    "       ascribe record [options] --pid PID\n"
    "\n"
    "Run PROGRAM and save its profile. Code built with `ascribe cc`, `c++` or `fc` is counted;\n"
    "other programs are sampled: each tick reads the stack.\n"
    "\n"
    "  -o, --output FILE  save the profile as FILE (default: PROGRAM.ascribe here,\n"
    "                     or PROGRAM.2.ascribe... if that exists)\n"
    "  -r, --rate HZ      ticks a second of CPU time, 0 to 10000 (default: 1000); 0: counts only\n"
    "  -c, --clock CLOCK  cpu: ticks of CPU time (default); wall: of the time that threads wait, "
    "too;\n"
    "                     tsc: the cycle counter, read at every call and return of code built "
    "with\n"
    "                     `ascribe cc --clock=tsc`\n"
    "  -e, --event EVENT,...  ticks of these events instead: page-faults, cache-misses... (-e "
    "list);\n"
    "                     up to four, all in one profile\n"
    "  -s, --stacks       read the stack with each tick also where code is counted\n"
    "      --perf         sample from outside, by perf events: nothing is loaded into PROGRAM,\n"
    "                     which may be linked statically; nothing is counted\n"
    "      --pid PID      sample a running process like that, until it ends or Ctrl-C\n"
    "      --delay SEC    start ticks and counts only after SEC seconds\n"
    "      --duration SEC stop them after SEC more seconds; the program runs on, and its\n"
    "                     profile is saved when it ends (with --pid: at once)\n"
    "      --stopped      no ticks and no counts until `ascribe start PID`\n"
    "  -q, --quiet        no summary\n"
    "  -h, --help         show this\n";

enum { DEFAULT_RATE = 1000, RATE_MOST = 10000 };

uint32_t record_options_rate(const struct record_options *options) {
  return options->rate ? (uint32_t)atoi(options->rate) : DEFAULT_RATE;
}

uint32_t record_options_looks(const struct record_options *options) {
  enum { TICKS_PER_LOOK = 10 }; /* waiting is looked at less often than running */
  return options->wall ? (record_options_rate(options) + TICKS_PER_LOOK - 1) / TICKS_PER_LOOK : 0;
}

static int complain(const char *problem) {
  fprintf(stderr, "ascribe record: %s\n", problem);
  return STATUS_OURS + 1;
}

/* Digits only, up to `most`. */
static int parse_number(const char *text, long most, long *number) {
  char *end;
  errno = 0;
  long found = strtol(text, &end, 10);
  if (errno || *end || end == text || found < 0 || found > most) return -1;
  *number = found;
  return 0;
}

static int parse_rate(const char *text, struct record_options *options) {
  long rate;
  options->rate = text;
  if (parse_number(text, RATE_MOST, &rate) == 0) return 0;
  fprintf(stderr, "ascribe record: --rate %s: expected a number from 0 to 10000\n", text);
  return STATUS_OURS + 1;
}

static int parse_clock(const char *text, struct record_options *options) {
  options->cycle_clock = strcmp(text, "tsc") == 0;
  options->wall = strcmp(text, "wall") == 0;
  if (options->cycle_clock || options->wall || strcmp(text, "cpu") == 0) return 0;
  fprintf(stderr, "ascribe record: --clock %s: expected cpu, wall or tsc\n", text);
  return STATUS_OURS + 1;
}

static int parse_event(const char *text, struct record_options *options) {
  struct error error;
  if (event_choices_parse(text, &options->events, &error) == 0) return 0;
  return complain(error.text);
}

static int parse_pid(const char *text, struct record_options *options) {
  long pid;
  options->outside = true;
  if (parse_number(text, INT32_MAX, &pid) == 0 && pid > 0) {
    options->pid = (uint32_t)pid;
    return 0;
  }
  fprintf(stderr, "ascribe record: --pid %s: expected the number of a process\n", text);
  return STATUS_OURS + 1;
}

static int parse_span(const char *name, const char *text, bool positive, uint64_t *ns) {
  if (seconds_parse(text, ns) == 0 && (*ns || !positive)) return 0;
  fprintf(stderr, "ascribe record: --%s %s: expected a number of seconds%s\n", name, text,
          positive ? " above 0" : "");
  return STATUS_OURS + 1;
}

/* Processes see that they are to stop or start when a tick comes. */
static int check_span(const struct record_options *options) {
  const struct control_span *span = &options->span;
  if (!span->stopped && !span->delay_ns && !span->duration_ns) return 0;
  if (span->stopped && (span->delay_ns || span->duration_ns))
    return complain("--stopped cannot be combined with --delay or --duration; `ascribe start "
                    "--duration` may help");
  if (options->cycle_clock || !record_options_rate(options))
    return complain("--delay, --duration and --stopped need ticks: they cannot be combined with "
                    "--clock tsc or --rate 0");
  return 0;
}

static int check_event(const struct record_options *options) {
  struct error error;
  if (!options->events.count) return 0;
  if (options->cycle_clock || !record_options_rate(options))
    return complain("--event cannot be combined with --clock tsc or --rate 0");
  return event_choices_try(&options->events, &error) ? complain(error.text) : 0;
}

static int check_wall(const struct record_options *options) {
  if (!options->wall) return 0;
  if (options->events.count || !record_options_rate(options))
    return complain("--clock wall cannot be combined with --event or --rate 0");
  return 0;
}

const char *record_options_inside_only(const struct record_options *options) {
  if (options->cycle_clock) return "--clock tsc";
  if (!record_options_rate(options)) return "--rate 0";
  if (options->events.count) return "--event";
  if (options->span.stopped) return "--stopped";
  return options->span.delay_ns ? "--delay" : NULL;
}

static int check_outside(const struct record_options *options) {
  const char *other = options->outside ? record_options_inside_only(options) : NULL;
  if (!other) return 0;
  fprintf(stderr, "ascribe record: %s cannot be combined with --perf or --pid\n", other);
  return STATUS_OURS + 1;
}

static int check_program(const struct record_options *options) {
  bool given = options->program[0];
  if (options->pid && given) return complain("--pid records a running process: name no PROGRAM");
  if (options->pid || given) return 0;
  return complain("no program given; try: ascribe record -- ./prog");
}

int record_options_parse(int count, char **arguments, struct record_options *options) {
  enum { DELAY = 256, DURATION, STOPPED, PERF, PID };
  static const struct option known[] = {{"output", required_argument, NULL, 'o'},
                                        {"rate", required_argument, NULL, 'r'},
                                        {"clock", required_argument, NULL, 'c'},
                                        {"event", required_argument, NULL, 'e'},
                                        {"stacks", no_argument, NULL, 's'},
                                        {"perf", no_argument, NULL, PERF},
                                        {"pid", required_argument, NULL, PID},
                                        {"delay", required_argument, NULL, DELAY},
                                        {"duration", required_argument, NULL, DURATION},
                                        {"stopped", no_argument, NULL, STOPPED},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  int option, wrong = 0;
  while (!wrong && (option = next_option(count, arguments, "+o:r:c:e:sqh", known)) != -1) {
    switch (option) {
    case 'o':
      options->output = optarg;
      break;
    case 'r':
      wrong = parse_rate(optarg, options);
      break;
    case 'c':
      wrong = parse_clock(optarg, options);
      break;
    case 'e':
      wrong = parse_event(optarg, options);
      break;
    case 's':
      options->stacks = true;
      break;
    case PERF:
      options->outside = true;
      break;
    case PID:
      wrong = parse_pid(optarg, options);
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
      return STATUS_OURS + 1;
    }
  }
  options->program = arguments + optind;
  if (!wrong) wrong = check_span(options);
  if (!wrong) wrong = check_event(options);
  if (!wrong) wrong = check_wall(options);
  if (!wrong) wrong = check_outside(options);
  return wrong ? wrong : check_program(options);
}
