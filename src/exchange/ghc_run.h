/* One run of a Haskell program, of which one file tells or several: its event log, the profile of
 * its cost centres, its heap profile. They are read in this order into one profile, in which each
 * metric comes from the file that knows most. */
#ifndef ASCRIBE_EXCHANGE_GHC_RUN_H
#define ASCRIBE_EXCHANGE_GHC_RUN_H

#include "exchange/cost_centres.h"
#include "exchange/import.h"
#include "exchange/level_series.h"
#include "exchange/time_series.h"

/* Whether a profile of cost centres that begins so has words about retainers before it, and their
 * sets behind it: +RTS -hr. */
bool ghc_run_has_retainers(const char *start, size_t count);

/* How a file calls its run. */
struct ghc_identity {
  const char *file;          /* null: none has told it yet */
  char *command;             /* without options of the runtime, in one spelling */
  uint64_t from_ns, last_ns; /* since 1970: when it ran. 0: not known */
};

/* What the event log has, to compare others with. */
struct ghc_log {
  bool has_end;                  /* the log is whole */
  uint64_t ticks, program_ticks; /* time samples; those of them that are not the runtime's */
  uint64_t tick_ns, last_ns;     /* of a time sample; of the last event */
  struct time_series times;
  uint64_t *sums; /* of heap samples that have anything, in their order */
  size_t sum_count;
};

struct ghc_run {
  struct cost_centres centres;
  struct level_series levels;     /* where `live` is a metric */
  struct map bands;               /* by the profile's text: functions */
  uint32_t time, allocated, live; /* metrics, or NOTHING */
  size_t metric_count;
  struct ghc_identity log_identity, identity; /* of the log, of the file read first of the others */
  struct ghc_log log;
  uint64_t lost_marks;
  char *format, *note; /* words for both, of all files; or null */
};

/* The cost of a stack of cost centres, without the stacks below it. */
struct centre_figures {
  uint64_t entries;
  uint64_t ticks, ns;
  uint64_t bytes; /* allocated */
};

void ghc_run_open(struct ghc_run *run);

/* `words`: "heap profile", of the file that is read now. */
void ghc_run_format(struct ghc_run *run, const char *words);

/* Something that a file has and the profile has not. */
void ghc_run_note(struct ghc_run *run, const char *note);

/* Names the run after its program's command line. `date` is GHC_DATE (printed_date.h) or null.
 * Returns -1 with the error set where a file before has told of another run. */
int ghc_run_identify(struct ghc_run *run, const char *file, const char *command, const char *date,
                     struct error *error);

/* The same for the log, which is read first, and has been: when its program was started. */
void ghc_run_identify_log(struct ghc_run *run, const char *file, const char *command, uint32_t pid,
                          uint64_t started_ns);

/* Compare with the log, where there is one: all ticks of the profile of cost centres, or those that
 * are not the runtime's; the sum of a heap sample, which is that many samples with bytes behind the
 * first. Return -1 with the error set where the log has others. */
int ghc_run_same_ticks(const struct ghc_run *run, const char *file, uint64_t ticks, bool all,
                       struct error *error);
int ghc_run_same_sample(const struct ghc_run *run, const char *file, size_t sample, uint64_t sum,
                        struct error *error);

/* A moment that the program named. */
void ghc_run_mark(struct ghc_run *run, uint64_t time_ns, const char *text, size_t length);

/* The metrics, made when first asked for. */
uint32_t ghc_run_time(struct ghc_run *run);
uint32_t ghc_run_allocated(struct ghc_run *run);
void ghc_run_levels(struct ghc_run *run, const char *unit);

/* A band of a heap profile that is no stack of cost centres, as a function without callers. */
uint32_t ghc_run_band(struct ghc_run *run, const char *label);
/* It is the stack at hand, from now on. */
void ghc_run_push_band(struct ghc_run *run, uint32_t function);

/* Charges the stack that was pushed last (cost_centres_push). Time only if the log, where there is
 * one, has none. Returns -1 if the sums would overflow. */
int ghc_run_charge(struct ghc_run *run, const struct centre_figures *figures);

/* Ends the import, whose result so far is `result`. The first metric is `event` or, if that is
 * null, time, else allocated bytes, else live ones. Returns `result`, or -1 with the error set;
 * frees everything but the profile. */
int ghc_run_finish(struct ghc_run *run, const char *name, const char *event, int result,
                   struct profile **profile, struct error *error);

/* The import of one file alone. */
int ghc_run_read(import_add *add, struct input *input, const struct import_options *options,
                 struct profile **profile, struct error *error);

#endif
