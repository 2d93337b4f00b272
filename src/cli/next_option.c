#include "cli/next_option.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/edit_distance.h"

const char *nearest_word(const char *wrong, const char *const *words, size_t count) {
  const char *nearest = NULL;
  uint32_t least = strlen(wrong) < 4 ? 2 : 3; /* letters, at which it is another word */
  for (size_t i = 0; i < count; i++) {
    uint32_t distance = edit_distance(wrong, words[i]);
    if (distance >= least) continue;
    least = distance;
    nearest = words[i];
  }
  return nearest;
}

/* Letters of perf's that mean something else here, or nothing. */
static const struct {
  const char *command;
  int letter;
  const char *advice;
} from_perf[] = {
    {"ascribe record", 'g', "stacks are looked at in any case"},
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

static void advise_word(const char *wrong, const struct option *known) {
  enum { MOST = 64 };
  const char *words[MOST];
  char name[128];
  size_t count = 0;
  for (; known->name && count < MOST; known++)
    words[count++] = known->name;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(wrong, "="), wrong);
  const char *nearest = nearest_word(name, words, count);
  if (nearest && strcmp(nearest, name) != 0) fprintf(stderr, "did you mean --%s? ", nearest);
}

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
