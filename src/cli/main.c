/* ascribe: one program, one word for each thing it does. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

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

int main(int count, char **arguments) {
  if (count < 2) {
    print_usage(stderr);
    return 2;
  }
  const char *name = arguments[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    print_usage(stdout);
    return 0;
  }
  if (strcmp(name, "--version") == 0) {
    puts("ascribe " ASCRIBE_VERSION);
    return 0;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(name, commands[i].name) == 0) return commands[i].run(count - 1, arguments + 1);
  fprintf(stderr, "ascribe: no command %s: see ascribe --help\n", name);
  return 2;
}
