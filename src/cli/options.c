#include "cli/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/edit_distance.h"

static char name[32] = "ascribe";

void command_begin(const char *word) {
  snprintf(name, sizeof name, "ascribe %s", word);
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

const char *near_word(const char *wrong, const char *const *words, size_t count) {
  return nearest_word(wrong, words, count, strlen(wrong) < 4 ? 2 : 3);
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
  enum { MOST = 64 };
  const char *words[MOST];
  size_t count = 0;
  for (; known->name && count < MOST; known++)
    words[count++] = known->name;
  const char *nearest = near_word(ours(wrong), words, count);
  if (nearest && strncmp(nearest, wrong, strcspn(wrong, "=")) != 0)
    fprintf(stderr, "did you mean --%s? ", nearest);
}

/* ---- options ---- */

int next_option(int count, char **arguments, const char *letters, const struct option *known) {
  int option = getopt_long(count, arguments, letters, known, NULL);
  if (option != '?') return option;
  if (optopt && optopt < 256)
    advise_letter(arguments[0], optopt);
  else if (optind > 0 && strncmp(arguments[optind - 1], "--", 2) == 0)
    advise_word(arguments[optind - 1] + 2, known);
  fprintf(stderr, "try: %s --help\n", arguments[0]);
  return option;
}

int options_take(const struct command_options *options, int count, char **arguments,
                 void *request) {
  int option, result = 0;
  arguments[0] = name; /* for getopt's messages */
  while (result == 0 &&
         (option = next_option(count, arguments, options->letters, options->known)) != -1)
    if (option == '?') /* it has been said what is wrong */
      result = -1;
    else if (option == 'h' && options->usage)
      result = fputs(options->usage, stdout) < 0 ? -1 : 1;
    else
      result = options->take(request, option);
  return result;
}
