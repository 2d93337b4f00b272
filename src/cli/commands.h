/* The commands, one file each.  `arguments` starts with the command's name, as main's argv does.
 * The result is the exit status. */
#ifndef ASCRIBE_CLI_COMMANDS_H
#define ASCRIBE_CLI_COMMANDS_H

#include "cli/options.h"

extern const struct command {
  const char *name; /* null behind the last */
  int (*run)(int count, char **arguments);
  const struct option_table *options;
  const char *help;
} commands[];

/* Null: there is none of this name. */
const struct command *command_named(const char *name);

int command_record(int count, char **arguments);
int command_top(int count, char **arguments);
int command_start(int count, char **arguments);
int command_stop(int count, char **arguments);
int command_export(int count, char **arguments);
int command_import(int count, char **arguments);
int command_gprof(int count, char **arguments);
int command_merge(int count, char **arguments);
int command_report(int count, char **arguments);
int command_diff(int count, char **arguments);
int command_growth(int count, char **arguments);
int command_view(int count, char **arguments);
int command_html(int count, char **arguments);
int command_csc(int count, char **arguments);
int command_scheme(int count, char **arguments);
int command_cc(int count, char **arguments); /* arguments[0]: "cc", "c++" or "fc" */

/* Run and record the program of the options: the exit status. */
struct record_options;
int record_program(const struct record_options *options);

#endif
