/* ascribe: one program, one word for each thing it does. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/message_stream.h"
#include "cli/options.h"

static const struct command {
  const char *name;
  int (*run)(int count, char **arguments);
  const char *help;
} commands[] = {
    {"record", command_record, "run a program, any, and save its profile"},
    {"report", command_report, "show a profile"},
    {"view", command_view, "show a profile in the browser"},
    {"html", command_html, "write a profile as one page for the browser"},
    {"diff", command_diff, "compare two profiles"},
    {"growth", command_growth, "how costs grow with the size of the input"},
    {"merge", command_merge, "sum profiles of several runs"},
    {"cc", command_cc, "compile and link C so that calls are counted: make CC=\"ascribe cc\""},
    {"c++", command_cc, "the same for C++"},
    {"fc", command_cc, "the same for Fortran"},
    {"stop", command_stop, "stop recording a program while it runs"},
    {"start", command_start, "go on recording a program that was stopped"},
    {"export", command_export, "write a profile in the format of another tool"},
    {"import", command_import, "make a profile of what another tool recorded"},
    {"gprof", command_gprof, "print what GNU gprof prints of a gmon.out"},
};

static void print_usage(FILE *out) {
  fputs("usage: ascribe COMMAND [ARGUMENT...]\n"
        "\n"
        "To begin with: ascribe record -- ./prog args; then ascribe report, or ascribe view.\n"
        "\n",
        out);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
  fputs("\nascribe COMMAND --help tells more; ascribe --version tells the version\n", out);
}

enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(name, commands[i].name) == 0) return &commands[i];
  return NULL;
}

static int no_command(const char *name) {
  const char *names[COMMANDS];
  for (size_t i = 0; i < COMMANDS; i++)
    names[i] = commands[i].name;
  const char *nearest = near_word(name, names, COMMANDS);
  fprintf(stderr, "ascribe: no command %s: ", name);
  if (nearest) fprintf(stderr, "did you mean %s? ", nearest);
  fputs("see ascribe --help\n", stderr);
  return STATUS_WRONG_USE;
}

static int run(const struct command *command, int count, char **arguments) {
  command_begin(command->name);
  return command->run(count, arguments);
}

/* `ascribe help COMMAND` is `ascribe COMMAND --help`. */
static int help(const char *name) {
  static char option[] = "--help";
  const struct command *command = name ? find_command(name) : NULL;
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
  const struct command *command = find_command(name);
  return command ? run(command, count - 1, arguments + 1) : no_command(name);
}
