#include "cli/options.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_tables.h"

static char name[32] = "ascribe";

void command_begin(const char *program, const char *word) {
  snprintf(name, sizeof name, "%s %s", program, word);
}

const char *command_name(void) {
  return name;
}

int wrong_use(const char *format, ...) {
  va_list values;
  fprintf(stderr, "%s: ", name);
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fprintf(stderr, ": see %s --help\n", name);
  return -1;
}

int command_failed(const struct error *error) {
  fprintf(stderr, "%s: %s\n", name, error->text);
  return 1;
}

/* ---- advice ---- */

struct nearest_word nearest_to(const char *wrong) {
  return (struct nearest_word){wrong, strlen(wrong) < 4 ? 2 : 3, NULL};
}

/* Letters of perf's that mean something else here, or nothing. */
static const struct {
  const char *command;
  int letter;
  const char *advice;
} from_perf[] = {
    {"ascribe record", 'g', "stacks are always sampled"},
    {"ascribe record", 'F', "the rate is -r HZ"},
    {"ascribe record", 'p', "a process that runs is --pid PID"},
    {"ascribe record", 'a', "name a program, or a process with --pid; not the whole system"},
    {"ascribe report", 'g', "the call graph is --graph"},
    {"ascribe report", 'i', "name the profile without an option"},
};

static void advise_letter(const char *command, int letter) {
  for (size_t i = 0; i < sizeof from_perf / sizeof *from_perf; i++)
    if (from_perf[i].letter == letter && strcmp(from_perf[i].command, command) == 0)
      fprintf(stderr, "%s; ", from_perf[i].advice);
}

/* perf's word, where ours is not like it. */
static const char *ours(const char *wrong) {
  return strncmp(wrong, "freq", strlen("freq")) == 0 ? "rate" : wrong;
}

static void advise_word(const char *wrong, const struct option *known) {
  struct nearest_word search = nearest_to(ours(wrong));
  for (; known->name; known++)
    nearest_word_try(&search, known->name);
  if (search.word && strncmp(search.word, wrong, strcspn(wrong, "=")) != 0)
    fprintf(stderr, "did you mean --%s? ", search.word);
}

/* ---- options ---- */

/* What getopt says of an option that it does not know is on standard error. */
static int advise(const struct option_table *table, char **arguments) {
  if (optopt && optopt < FIRST_OPTION)
    advise_letter(name, optopt);
  else if (optind > 0 && strncmp(arguments[optind - 1], "--", 2) == 0)
    advise_word(arguments[optind - 1] + 2, table->known);
  fprintf(stderr, "try: %s --help\n", name);
  return -1;
}

/* getopt returns the letter, or the value of the long name. */
static const struct option_row *row_of(const struct option_table *table, int found) {
  const struct option_row *row = table->rows;
  while (row->value != found && row->letter[0] != found)
    row++;
  return row;
}

static int refuse(const struct option_row *row) {
  fprintf(stderr, "%s: %s%s%s%s%s is not supported: %s\n", name, *row->letter ? "-" : "",
          row->letter, *row->letter && *row->name ? ", " : "", *row->name ? "--" : "", row->name,
          row->help);
  return -1;
}

static uint64_t number;

uint64_t option_number(void) {
  return number;
}

static int take_number(const struct option_row *row) {
  char *end;
  errno = 0;
  number = strtoull(optarg, &end, 10);
  bool digits = *optarg >= '0' && *optarg <= '9' && !*end && !errno;
  if (digits && number >= row->least && number <= row->most) return 0;
  if (row->kind == ARGUMENT_PROCESS)
    return wrong_use("--%s %s: expected the number of a process", row->name, optarg);
  if (row->most == UINT64_MAX)
    return wrong_use("--%s %s: expected a number from %" PRIu64, row->name, optarg, row->least);
  return wrong_use("--%s %s: expected a number from %" PRIu64 " to %" PRIu64, row->name, optarg,
                   row->least, row->most);
}

/* "self, total, calls or name" */
static int take_word(const struct option_row *row) {
  char text[256] = "";
  for (number = 0; row->words[number]; number++) {
    if (strcmp(optarg, row->words[number]) == 0) return 0;
    size_t length = strlen(text);
    const char *between = !number ? "" : row->words[number + 1] ? ", " : " or ";
    snprintf(text + length, sizeof text - length, "%s%s", between, row->words[number]);
  }
  return wrong_use("--%s %s: expected %s", row->name, optarg, text);
}

/* What the table says of the value. */
static int check_value(const struct option_row *row) {
  if (row->kind == ARGUMENT_ONE_OF) return take_word(row);
  return row->kind == ARGUMENT_NUMBER || row->kind == ARGUMENT_PROCESS ? take_number(row) : 0;
}

static int show_help(const struct option_table *table, void (*more)(FILE *out)) {
  fputs(table->usage, stdout);
  if (more) more(stdout);
  return ferror(stdout) ? -1 : 1;
}

static int take_one(const struct option_table *table, int found,
                    int (*take)(void *request, int option), void (*more)(FILE *out),
                    void *request) {
  const struct option_row *row = row_of(table, found);
  if (row->kind == ARGUMENT_REFUSED) return refuse(row);
  if (row->value == OPTION_HELP) return show_help(table, more);
  if (check_value(row) != 0) return -1;
  int result = take(request, row->value);
  assert(result != OPTION_UNTAKEN);
  return result;
}

int options_take(const struct option_table *table, int (*take)(void *request, int option),
                 void (*more)(FILE *out), int count, char **arguments, void *request) {
  char *word = arguments[0];
  int found, result = 0;
  arguments[0] = name; /* for getopt's messages */
  while (result == 0 &&
         (found = getopt_long(count, arguments, table->letters, table->known, NULL)) != -1)
    result = found == '?' ? advise(table, arguments) : take_one(table, found, take, more, request);
  arguments[0] = word;
  return result;
}
