/* Folded stacks: on each line the functions of a stack, outermost first, between semicolons, then a
 * blank and a number.  Source: stackcollapse-*.pl of https://github.com/brendangregg/FlameGraph. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/import_formats.h"
#include "exchange/stack_profile.h"

/* What the numbers are; the first is what they are if nobody says. */
static const struct unit {
  const char *name, *event, *unit;
  uint64_t factor;
  enum evidence evidence;
} units[] = {
    {"samples", "samples", "samples", 1, EVIDENCE_TICKS},
    {"ns", "time", NULL, 1, EVIDENCE_UNKNOWN},
    {"us", "time", NULL, 1000, EVIDENCE_UNKNOWN},
    {"ms", "time", NULL, 1000000, EVIDENCE_UNKNOWN},
    {"s", "time", NULL, 1000000000, EVIDENCE_UNKNOWN},
};

static struct unit find_unit(const char *name) {
  if (!name) return units[0];
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i].name, name) == 0) return units[i];
  return (struct unit){name, name, name, 1, EVIDENCE_UNKNOWN};
}

/* The number at the end of the line, which is cut off with the blanks before it. */
static bool cut_number(char *line, size_t length, uint64_t *number) {
  while (length && (line[length - 1] == ' ' || line[length - 1] == '\r'))
    length--;
  line[length] = '\0';
  char *blank = strrchr(line, ' '), *end;
  if (!blank || blank[1] < '0' || blank[1] > '9') return false;
  errno = 0;
  *number = strtoull(blank + 1, &end, 10);
  if (*end || errno) return false;
  while (blank > line && blank[-1] == ' ')
    blank--;
  *blank = '\0';
  return blank > line;
}

/* "f_[i]" is f, inlined; other marks (_[k], _[j]) are part of the name. */
static enum body cut_mark(char *name) {
  size_t length = strlen(name);
  if (length < 5 || strcmp(name + length - 4, "_[i]") != 0) return BODY_OWN;
  name[length - 4] = '\0';
  return BODY_INLINED;
}

static void add_frames(struct stack_profile *stacks, char *line) {
  char *rest = NULL;
  for (char *name = strtok_r(line, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
    enum body body = cut_mark(name);
    struct profile_function function = {.name = name, .object = NOTHING};
    uint32_t id = stack_profile_function(stacks, &function, body);
    stack_profile_frame(stacks, id, stack_profile_line(stacks, id, NULL, 0));
  }
}

static int take_line(struct input *input, struct stack_profile *stacks, const struct unit *unit,
                     char *line, size_t length, struct error *error) {
  uint64_t number;
  if (line[strspn(line, " \r")] == '\0') return 0;
  if (!cut_number(line, length, &number))
    return input_error(input, error, "not a stack and a number: %.60s", line);
  uint32_t process = stack_profile_process(stacks, 0, "");
  stack_profile_begin(stacks, stack_profile_thread(stacks, process, 0, ""));
  add_frames(stacks, line);
  struct amount amount = {unit->evidence == EVIDENCE_TICKS ? number : 0, 0};
  bool overflow = __builtin_mul_overflow(number, unit->factor, &amount.raw_ns);
  if (!overflow && stack_profile_charge(stacks, 0, amount) == 0) return 0;
  return input_error(input, error, "the sum of all numbers is too large");
}

/* A day of one processor at the rate of a thousand. More is rather time, or bytes. */
#define SAMPLES_MOST 100000000u

/* A number that nobody called one of samples is no evidence if it cannot be one. */
static void doubt(struct profile *profile) {
  struct profile_metric *metric = &profile->metrics[0];
  for (size_t i = 0; i < metric->tick_count; i++)
    metric->ticks[i].amount.ticks = 0;
  for (size_t i = 0; i < metric->instruction_count; i++)
    metric->instructions[i].self.ticks = 0;
  for (size_t i = 0; i < profile->thread_count; i++)
    profile->threads[i].ticks = 0;
  metrics_charge(profile);
  metric->evidence = EVIDENCE_UNKNOWN;
  profile->origin.note = pool_string(
      profile->pool, "numbers this large are hardly samples: --unit ns if they are nanoseconds");
}

static int read_lines(struct input *input, struct stack_profile *stacks, const struct unit *unit,
                      struct error *error) {
  char *line;
  size_t length;
  int got;
  while ((got = input_line(input, &line, &length, error)) > 0)
    if (take_line(input, stacks, unit, line, length, error) != 0) return -1;
  if (got < 0) return -1;
  return stacks->all[0].raw_ns ? 0 : error_set(error, "%s: no samples in it", input->name);
}

static int read_collapsed(struct input *input, const struct import_options *options,
                          struct profile **profile, struct error *error) {
  struct unit unit = find_unit(options->unit);
  struct stack_profile stacks;
  stack_profile_open(&stacks, "collapsed stacks", unit.event);
  int result = read_lines(input, &stacks, &unit, error);
  struct amount all = stacks.all[0];
  struct profile *made = stack_profile_finish(&stacks);
  made->metrics[0].unit = pool_string(made->pool, unit.unit);
  made->metrics[0].evidence = unit.evidence;
  if (!options->unit && all.raw_ns > SAMPLES_MOST) doubt(made);
  if (result == 0)
    *profile = made;
  else
    profile_free(made);
  return result;
}

/* The first line is text that ends in a number. */
static bool matches(const char *start, size_t count) {
  char line[4096];
  const char *newline = memchr(start, '\n', count);
  size_t length = newline ? (size_t)(newline - start) : count;
  uint64_t number;
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)start[i] < ' ' && start[i] != '\r') return false;
  if (!newline && length >= sizeof line) return memchr(start, ';', length) != NULL;
  if (length >= sizeof line) {
    start += length - sizeof line + 1;
    length = sizeof line - 1;
  }
  memcpy(line, start, length);
  line[length] = '\0';
  return cut_number(line, length, &number);
}

const struct import_format import_collapsed = {
    .name = "collapsed", .words = "collapsed stacks", .matches = matches, .read = read_collapsed};
