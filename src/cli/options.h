/* The command line of a command: its options, with advice for those that are mistaken, and what it
 * says in its own name. */
#ifndef ASCRIBE_CLI_OPTIONS_H
#define ASCRIBE_CLI_OPTIONS_H

#include <getopt.h>
#include <stddef.h>

#include "base/error.h"

enum { STATUS_WRONG_USE = 2 };

/* Who speaks: "ascribe report". Set by the word for the command, once. */
void command_begin(const char *word);
const char *command_name(void);

/* A line about wrong use on standard error, which ends in where help is. -1. */
int wrong_use(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line with the error on standard error. 1, a status to end with. */
int command_failed(const struct error *error);

struct command_options {
  const char *usage; /* what --help shows; null: `take` shows it */
  const char *letters;
  const struct option *known;
  /* An option, its value in optarg: 0, -1 after wrong_use, or 1 after help. */
  int (*take)(void *request, int option);
};

/* Take all options; the other words begin at arguments[optind]. As `take`. */
int options_take(const struct command_options *options, int count, char **arguments, void *request);

/* As getopt_long. Where it has complained, a line says what may have been meant, and where help is.
 * arguments[0] is the name of the command, "ascribe report". */
int next_option(int count, char **arguments, const char *letters, const struct option *known);

/* The word of `count` that is like `wrong`; null: none is near. */
const char *near_word(const char *wrong, const char *const *words, size_t count);

#endif
