/* ascribe: one program, one word for each thing it does. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/message_stream.h"

static void print_usage(FILE *out) {
  fputs("usage: ascribe COMMAND [ARGUMENT...]\n"
        "\n"
        "To begin with: ascribe record -- ./prog args; then ascribe report, or ascribe view.\n"
        "\n",
        out);
  for (const struct command *command = commands; command->name; command++)
    fprintf(out, "  %-8s %s\n", command->name, command->help);
  fputs("\nascribe COMMAND --help tells more; ascribe --version tells the version\n", out);
}

static int no_command(const char *name) {
  struct nearest_word search = nearest_to(name);
  for (const struct command *command = commands; command->name; command++)
    nearest_word_try(&search, command->name);
  fprintf(stderr, "ascribe: no command %s: ", name);
  if (search.word) fprintf(stderr, "did you mean %s? ", search.word);
  fputs("see ascribe --help\n", stderr);
  return STATUS_WRONG_USE;
}

static int run(const struct command *command, int count, char **arguments) {
  command_begin("ascribe", command->name);
  return command->run(count, arguments);
}

/* `ascribe help COMMAND` is `ascribe COMMAND --help`. */
static int help(const char *name) {
  static char option[] = "--help";
  const struct command *command = name ? command_named(name) : NULL;
  if (name && !command) return no_command(name);
  if (!command) {
    print_usage(stdout);
    return 0;
  }
  char *arguments[] = {(char *)command->name, option, NULL};
  return run(command, 2, arguments);
}

static bool is_one_of(const char *word, const char *first, const char *second, const char *third) {
  return strcmp(word, first) == 0 || strcmp(word, second) == 0 || strcmp(word, third) == 0;
}

int main(int count, char **arguments) {
  message_stream_open();
  if (count < 2) {
    print_usage(stderr);
    return STATUS_WRONG_USE;
  }
  const char *name = arguments[1];
  if (is_one_of(name, "help", "--help", "-h")) return help(arguments[2]);
  if (is_one_of(name, "version", "--version", "-V")) {
    puts("ascribe " ASCRIBE_VERSION);
    return 0;
  }
  if (strcmp(name, "--complete") == 0) {
    completion_print(count - 2, arguments + 2);
    return 0;
  }
  const struct command *command = command_named(name);
  return command ? run(command, count - 1, arguments + 1) : no_command(name);
}
