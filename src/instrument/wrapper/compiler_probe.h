/* Which compiler a command name stands for. */
#ifndef ASCRIBE_INSTRUMENT_COMPILER_PROBE_H
#define ASCRIBE_INSTRUMENT_COMPILER_PROBE_H

#include "base/error.h"
#include "instrument/wrapper/words.h"

enum compiler_kind {
  COMPILER_UNKNOWN,
  COMPILER_GCC,
  COMPILER_CLANG,
};

struct compiler {
  enum compiler_kind kind;
  const char *plugin; /* the name of the one that was built for this very compiler, or NULL */
  char version[160];  /* its version line, for messages */
};

/* Ask the compiler `command` (program and leading arguments) for its version: one short process.
 * Returns 0, or -1 with `error` when it cannot be run. */
int compiler_probe(const struct words *command, struct compiler *compiler, struct error *error);

/* The part of the above that reads the answer to `-v`. `answer` is modified. */
void compiler_read_version(char *answer, struct compiler *compiler);

#endif
