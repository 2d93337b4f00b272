/* A file that a command writes: complete or not at all. */
#ifndef ASCRIBE_CLI_OUTPUT_FILE_H
#define ASCRIBE_CLI_OUTPUT_FILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct output_file {
  FILE *stream;
  const char *path;       /* the caller's, as it was given */
  bool fixed;             /* users cannot name another */
  char beside[PATH_MAX];  /* what is written until it is complete; "": `path` itself */
  struct sigaction limit; /* what was done at SIGXFSZ before */
};

/* `path` "-" is standard output.  What is no regular file (a device, a pipe) is written directly;
 * else a file beside it is. */
int output_file_open(struct output_file *file, const char *path, struct error *error);

/* The same for a path that no option changes: messages offer none. */
int output_file_open_fixed(struct output_file *file, const char *path, struct error *error);

/* End it.  When `result` is not 0, because the writer has failed (its message stays), or on an
 * error of any write so far, nothing is left of what was written beside `path`, and what stood
 * there is as it was. */
int output_file_close(struct output_file *file, int result, struct error *error);

#endif
