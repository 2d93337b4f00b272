/* The command line of a command: its options, with advice for those that are mistaken, and what it
 * says in its own name. */
#ifndef ASCRIBE_CLI_OPTIONS_H
#define ASCRIBE_CLI_OPTIONS_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/edit_distance.h"
#include "base/error.h"

enum { STATUS_WRONG_USE = 2 };

/* Who speaks: "ascribe report". Set by the program and its word for the command, once. */
void command_begin(const char *program, const char *word);
const char *command_name(void);

/* A line about wrong use on standard error, which ends in where help is. -1. */
int wrong_use(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line with the error on standard error. 1, a status to end with. */
int command_failed(const struct error *error);

/* What completion offers for an argument. */
enum argument_kind {
  ARGUMENT_ANYTHING, /* nothing is offered */
  ARGUMENT_NUMBER,   /* from `least` to `most`; nothing is offered */
  ARGUMENT_ONE_OF,   /* these words; others are refused */
  ARGUMENT_SUCH_AS,  /* these words, or others */
  ARGUMENT_METRICS,  /* of a profile; so the next two */
  ARGUMENT_FUNCTIONS,
  ARGUMENT_THREADS,
  ARGUMENT_EVENTS,
  ARGUMENT_ENTRY_KIND,
  ARGUMENT_EXPORT_FORMAT,
  ARGUMENT_IMPORT_FORMAT,
  ARGUMENT_FILE,
  ARGUMENT_PROFILE,
  ARGUMENT_PROCESS,
  ARGUMENT_RECORDED_PROCESS,
  ARGUMENT_PROGRAM,         /* with arguments of its own */
  ARGUMENT_OF_THE_COMPILER, /* which has a command line of its own */
  ARGUMENT_REFUSED,         /* the option exists elsewhere; its help says why not here */
};

struct option_row {
  int value; /* OPTION_NAME, or the letter of an option that has no name; 0: the last row */
  const char *letter; /* or "" */
  const char *name;   /* or "" */
  enum argument_kind kind;
  int has_argument;         /* as getopt_long has it */
  const char *const *words; /* of ARGUMENT_ONE_OF and ARGUMENT_SUCH_AS; null behind the last */
  uint64_t least, most;     /* of ARGUMENT_NUMBER and ARGUMENT_PROCESS */
  const char *help;
};

/* Made of options/COMMAND.opt: option_tables.h. */
struct option_table {
  const char *letters;
  const struct option *known;
  const struct option_row *rows;
  enum argument_kind arguments; /* the words that are no options */
  const char *usage;            /* what --help shows */
};

enum { OPTION_UNTAKEN = -2 };

/* Take all options; the other words begin at arguments[optind]. `take` gets an option as
 * OPTION_NAME, its value in optarg; it returns 0, -1 after wrong_use, 1 if all is done, or
 * OPTION_UNTAKEN where it has no code for the option, which is a mistake of ours. --help is shown
 * here, with `more` (or null) below it. The result is 0, -1 or 1, as of `take`. */
int options_take(const struct option_table *table, int (*take)(void *request, int option),
                 void (*more)(FILE *out), int count, char **arguments, void *request);

/* The value just taken, of ARGUMENT_NUMBER or ARGUMENT_PROCESS: the number; of ARGUMENT_ONE_OF: the
 * place of the word among those of its row. */
uint64_t option_number(void);

/* A search for a word that may have been meant. */
struct nearest_word nearest_to(const char *wrong);

#endif
