#include "cli/record_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_tables.h"
#include "cli/seconds.h"
#include "recording/layout.h"

enum { DEFAULT_RATE = 1000 };

uint32_t record_options_rate(const struct record_options *options) {
  return options->rate ? (uint32_t)atoi(options->rate) : DEFAULT_RATE;
}

uint32_t record_options_looks(const struct record_options *options) {
  enum { TICKS_PER_LOOK = 10 }; /* waiting is looked at less often than running */
  return options->wall ? (record_options_rate(options) + TICKS_PER_LOOK - 1) / TICKS_PER_LOOK : 0;
}

static int complain(const char *problem) {
  fprintf(stderr, "ascribe record: %s\n", problem);
  return -1;
}

static int parse_event(const char *text, struct record_options *options) {
  struct error error;
  if (event_choices_parse(text, &options->events, &error) == 0) return 0;
  return complain(error.text);
}

static int parse_span(const char *name, const char *text, bool positive, uint64_t *ns) {
  if (seconds_parse(text, ns) == 0 && (*ns || !positive)) return 0;
  fprintf(stderr, "ascribe record: --%s %s: expected a number of seconds%s\n", name, text,
          positive ? " above 0" : "");
  return -1;
}

static int parse_heap(const char *text, uint32_t *bytes) {
  static const char units[] = "kKmM";
  *bytes = 1;
  if (!text) return 0;
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  const char *unit = *end && !end[1] ? strchr(units, *end) : NULL;
  if (unit && number <= HEAP_MEAN_MOST) number <<= unit < units + 2 ? 10 : 20;
  bool parsed = *text >= '0' && *text <= '9' && (!*end || unit);
  if (!parsed || number < HEAP_MEAN_LEAST || number > HEAP_MEAN_MOST) {
    fprintf(stderr, "ascribe record: --heap=%s: expected bytes from 1k to 16M, such as 512k\n",
            text);
    return -1;
  }
  *bytes = (uint32_t)number;
  return 0;
}

/* Processes see that they are to stop or start when a tick comes. */
static int check_span(const struct record_options *options) {
  const struct control_span *span = &options->span;
  if (!span->stopped && !span->delay_ns && !span->duration_ns) return 0;
  if (span->stopped && (span->delay_ns || span->duration_ns))
    return complain("--stopped cannot be combined with --delay or --duration; `ascribe start "
                    "--duration` may help");
  if (options->counter || !record_options_rate(options))
    return complain("--delay, --duration and --stopped need ticks: they cannot be combined with "
                    "--clock tsc or host, or with --rate 0");
  return 0;
}

static int check_event(const struct record_options *options) {
  struct error error;
  if (!options->events.count) return 0;
  if (options->counter || !record_options_rate(options))
    return complain("--event cannot be combined with --clock tsc or host, or with --rate 0");
  return event_choices_try(&options->events, &error) ? complain(error.text) : 0;
}

static int check_wall(const struct record_options *options) {
  if (options->wall && !record_options_rate(options))
    return complain("--clock wall cannot be combined with --rate 0");
  return 0;
}

bool record_options_mpi(const struct record_options *options) {
  return options->mpi == MPI_ALWAYS || (options->mpi == MPI_OF_RANKS && options->rank.known);
}

const char *record_options_inside_only(const struct record_options *options) {
  if (options->counter)
    return strcmp(options->counter, "tsc") == 0 ? "--clock tsc" : "--clock host";
  if (!record_options_rate(options)) return "--rate 0";
  if (options->events.count) return "--event";
  if (options->heap) return "--heap";
  if (options->mpi == MPI_ALWAYS) return "--mpi on";
  if (options->span.stopped) return "--stopped";
  return options->span.delay_ns ? "--delay" : NULL;
}

static int check_outside(const struct record_options *options) {
  const char *other = options->outside ? record_options_inside_only(options) : NULL;
  if (!other) return 0;
  fprintf(stderr, "ascribe record: %s cannot be combined with --perf or --pid\n", other);
  return -1;
}

static int check_view(const struct record_options *options) {
  if (options->view && options->outside)
    return complain("--view shows what is recorded inside the program: it cannot be combined with "
                    "--perf or --pid");
  if (options->view && options->repeat)
    return complain("--view shows one run: it cannot be combined with --repeat");
  return 0;
}

static int check_program(const struct record_options *options) {
  bool given = options->program[0];
  if (options->pid && options->repeat)
    return complain("--repeat runs a program: it cannot be combined with --pid");
  if (options->pid && given) return complain("--pid records a running process: name no PROGRAM");
  if (options->pid || given) return 0;
  return complain("no program given; try: ascribe record -- ./prog");
}

static int take_option(void *at, int option) {
  struct record_options *options = at;
  switch (option) {
  case OPTION_OUTPUT:
    options->output = optarg;
    return 0;
  case OPTION_RATE:
    options->rate = optarg;
    return 0;
  case OPTION_CLOCK:
    options->counter = strcmp(optarg, "tsc") == 0 || strcmp(optarg, "host") == 0 ? optarg : NULL;
    options->wall = strcmp(optarg, "wall") == 0;
    return 0;
  case OPTION_EVENT:
    return parse_event(optarg, options);
  case OPTION_STACKS:
    options->stacks = true;
    return 0;
  case OPTION_HEAP:
    return parse_heap(optarg, &options->heap);
  case OPTION_PERF:
    options->outside = true;
    return 0;
  case OPTION_PID:
    options->outside = true;
    options->pid = (uint32_t)option_number();
    return 0;
  case OPTION_DELAY:
    return parse_span("delay", optarg, false, &options->span.delay_ns);
  case OPTION_DURATION:
    return parse_span("duration", optarg, true, &options->span.duration_ns);
  case OPTION_STOPPED:
    options->span.stopped = true;
    return 0;
  case OPTION_REPEAT:
    options->repeat = (uint32_t)option_number();
    return 0;
  case OPTION_RANK_FROM:
    options->rank_from = optarg;
    return 0;
  case OPTION_VIEW:
    options->view = true;
    return 0;
  case OPTION_MPI:
    options->mpi = strcmp(optarg, "on") == 0    ? MPI_ALWAYS
                   : strcmp(optarg, "off") == 0 ? MPI_NEVER
                                                : MPI_OF_RANKS;
    return 0;
  case OPTION_QUIET:
    options->quiet = true;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

/* A process that runs already was not started by our launcher. */
static int find_rank(struct record_options *options) {
  struct error error;
  if (options->pid)
    return options->rank_from ? complain("--rank-from cannot be combined with --pid") : 0;
  if (job_rank_find(options->rank_from, &options->rank, &error)) return complain(error.text);
  options->ranks_apart = job_rank_has_others(&options->rank);
  if (options->ranks_apart && options->rank.rank) options->quiet = true;
  return 0;
}

int record_options_parse(int count, char **arguments, struct record_options *options) {
  int result = options_take(&options_record, take_option, NULL, count, arguments, options);
  options->program = arguments + optind;
  if (result == 0) result = check_span(options);
  if (result == 0) result = check_event(options);
  if (result == 0) result = check_wall(options);
  if (result == 0) result = check_outside(options);
  if (result == 0) result = check_view(options);
  if (result == 0) result = find_rank(options);
  return result == 0 ? check_program(options) : result;
}
