/* Other tools' files as profiles (docs/EXCHANGE.md). */
#ifndef ASCRIBE_EXCHANGE_IMPORT_H
#define ASCRIBE_EXCHANGE_IMPORT_H

#include "exchange/input.h"
#include "profile/profile.h"

/* All may be null. */
struct import_options {
  const char *event; /* the one to take of several; else the best guess at time */
  const char *unit;  /* of a file that does not tell its own */
  const char
      *executable; /* that was counted: its call graph, for counts of source; its functions */
};

struct ghc_run;

/* Files of one run of a Haskell program may be read together, in this order. */
enum run_part { RUN_OF_NOTHING, RUN_OF_LOG, RUN_OF_CENTRES, RUN_OF_HEAP, RUN_PARTS };

/* Reads one of several such files into the run (ghc_run.h). */
typedef int import_add(struct input *input, struct ghc_run *run, struct error *error);

struct import_format {
  const char *name;      /* as after --from */
  const char *words;     /* in messages: "a pprof profile" */
  bool takes_executable; /* import_options.executable is for it */
  /* Whether a file that begins so is of this format. */
  bool (*matches)(const char *start, size_t count);
  /* Read it whole.  The profile is the caller's. */
  int (*read)(struct input *input, const struct import_options *options, struct profile **profile,
              struct error *error);
  enum run_part run_part;
  import_add *add; /* null: files of the format are read alone */
};

/* The format of that name, or null. */
const struct import_format *import_format_named(const char *name);

/* All formats, in the order in which they are tried; null ends them. */
extern const struct import_format *const import_formats[];

/* Read `paths` ("-": standard input), one file or several of one run.  Format null: it is guessed.
 * What the files have and the profile has not stands in profile->origin.note.  The profile is the
 * caller's. */
int import_profile(char *const *paths, size_t count, const struct import_format *format,
                   const struct import_options *options, struct profile **profile,
                   struct error *error);

#endif
