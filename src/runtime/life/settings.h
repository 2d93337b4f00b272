/* What the environment asks for, and what the recording says of the process in words. */
#ifndef ASCRIBE_RUNTIME_SETTINGS_H
#define ASCRIBE_RUNTIME_SETTINGS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/ticks/perf_event.h"

struct settings {
  const char *directory; /* ASCRIBE_OUT; null: do not record */
  uint32_t rate_hz;      /* ASCRIBE_RATE: ticks a second of CPU time; 0: none */
  /* ASCRIBE_EVENT=TYPE:CONFIG:KERNEL:NAME,..., numbers in hexadecimal */
  struct perf_measures events;
  int cycle_clock;     /* ASCRIBE_CLOCK=tsc: read the cycle counter instead of ticks */
  int host_clock;      /* ASCRIBE_CLOCK=host: a counter of the language host (ascribe/host.h) */
  int stacks;          /* ASCRIBE_STACKS=1: ticks look at stacks in programs with hooks too */
  uint32_t heap;       /* ASCRIBE_HEAP: what is allocated is recorded, one sample in so many bytes;
                          1: all of it; 0: nothing */
  int mpi;             /* ASCRIBE_MPI=1: calls of MPI are recorded, with their stacks */
  uint32_t looker;     /* ASCRIBE_LOOKER: the process that looks at waiting threads; 0: none */
  const char *centres; /* ASCRIBE_CENTRES: which built-in centres count (scopes.h), or null */
  const char *filters; /* ASCRIBE_FILTERS (recording/filters.h), or null */
  int stopped;         /* ASCRIBE_STOPPED=1: begin with a pause (pauses.h) */
  int quiet;           /* ASCRIBE_QUIET: `ascribe record` speaks for us */
  /* ASCRIBE_PREPARED names the directory too: where it is missing its recorder has ended. */
  bool prepared;
};

/* Before libc is fully up: takes the environment as the loader passes it. */
void settings_read(char **environment, struct settings *settings);

/* One line on standard error: recording was asked for and cannot be. */
void settings_complain(const struct settings *settings, int status);

/* Keep, then write the text block: executable, directory, host, command. */
void settings_keep_text(int count, char **arguments);
void settings_write_text(void);

#endif
