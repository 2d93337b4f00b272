/* What `ascribe record` was asked for. */
#ifndef ASCRIBE_CLI_RECORD_OPTIONS_H
#define ASCRIBE_CLI_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/beside.h"
#include "cli/control_file.h"
#include "cli/event_choice.h"
#include "cli/job_rank.h"

/* Exit statuses that are not the program's. */
enum { STATUS_OURS = 125, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

struct record_options {
  const char *output;  /* null: base name of the program + ".ascribe". Of one rank of
                        * several, record_save puts its number into either. */
  const char *rate;    /* digits, or null */
  const char *counter; /* --clock tsc, host: read at changes of context, so no ticks; or null */
  bool wall;           /* threads are looked at from outside while they wait */
  struct event_choices events; /* none: time */
  bool stacks;
  uint32_t heap; /* what is allocated is recorded, too: all (1), or a sample in so many bytes */
  bool outside;  /* looked at from outside: nothing is loaded into the program */
  uint32_t pid;  /* that runs already; 0: PROGRAM is started */
  struct control_span span;
  uint32_t repeat;      /* runs, whose sum is saved; 0: one */
  struct job_rank rank; /* which this process is */
  enum mpi_choice { MPI_OF_RANKS, MPI_ALWAYS, MPI_NEVER } mpi; /* when its calls are recorded */
  const char *rank_from;
  bool ranks_apart; /* other ranks save theirs: the file's name has this one's number */
  bool quiet;
  bool view;                        /* in the browser, while it runs */
  const struct beside_work *beside; /* what is shown while the program runs, or null */
  int saved;                        /* where the path of the saved profile is written; 0: nowhere */
  char **program;                   /* with its arguments; null-terminated */
};

/* Ticks a second that were asked for. */
uint32_t record_options_rate(const struct record_options *options);
/* Looks a second at each thread while it waits; 0: none. */
uint32_t record_options_looks(const struct record_options *options);

/* Whether calls of MPI are recorded. */
bool record_options_mpi(const struct record_options *options);

/* The option that was given and needs the runtime inside the program; null: none. */
const char *record_options_inside_only(const struct record_options *options);

/* 0: go on; 1: help was shown; -1: wrong use, said. */
int record_options_parse(int count, char **arguments, struct record_options *options);

#endif
