#include "cli/commands.h"

#include <string.h>

#include "cli/option_tables.h"

const struct command commands[] = {
    {"record", command_record, &options_record, "run a program, any, and save its profile"},
    {"top", command_top, &options_top, "show what a program costs while it runs"},
    {"report", command_report, &options_report, "show a profile"},
    {"view", command_view, &options_view, "show a profile in the browser"},
    {"html", command_html, &options_html, "write a profile as one page for the browser"},
    {"diff", command_diff, &options_diff, "compare two profiles"},
    {"growth", command_growth, &options_growth, "how costs grow with the size of the input"},
    {"merge", command_merge, &options_merge, "sum profiles of several runs"},
    {"cc", command_cc, &options_cc,
     "compile and link C so that calls are counted: make CC=\"ascribe cc\""},
    {"c++", command_cc, &options_cc, "the same for C++"},
    {"fc", command_cc, &options_cc, "the same for Fortran"},
    {"csc", command_csc, &options_csc, "compile CHICKEN Scheme so that procedures are counted"},
    {"scheme", command_scheme, &options_scheme, "run Chez Scheme so that its program is counted"},
    {"stop", command_stop, &options_stop, "stop recording a program while it runs"},
    {"start", command_start, &options_start, "go on recording a program that was stopped"},
    {"export", command_export, &options_export, "write a profile in the format of another tool"},
    {"import", command_import, &options_import, "make a profile of what another tool recorded"},
    {"gprof", command_gprof, &options_gprof, "print what GNU gprof prints of a gmon.out"},
    {0},
};

const struct command *command_named(const char *name) {
  for (const struct command *command = commands; command->name; command++)
    if (strcmp(name, command->name) == 0) return command;
  return NULL;
}
