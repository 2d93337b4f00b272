/* The metrics of a profile: what was measured, all over the same functions, contexts and lines. */
#ifndef ASCRIBE_PROFILE_METRICS_H
#define ASCRIBE_PROFILE_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "profile/runs.h"
#include "profile/time_slices.h"
#include "recording/layout.h"

struct profile;

enum metric_kind {
  METRIC_CPU,     /* CPU time, of which the kernel knows the whole */
  METRIC_WAITING, /* time in which threads had no processor and wanted none (waits.h) */
  METRIC_EVENT,   /* an event that the kernel or the processor counted, and sampled */
  METRIC_GIVEN,   /* of another tool's file: the sum of its amounts is the whole */
  METRIC_HEAP,    /* what was allocated, by enum heap_metric */
  METRIC_MESSAGES /* what calls of MPI moved and took, by enum message_metric */
};

/* The metrics of what a program allocated, which a profile has together: once for each enum
 * heap_area of recording/layout.h that has anything. */
enum heap_metric {
  HEAP_ALLOCATIONS,
  HEAP_ALLOCATED, /* bytes */
  HEAP_LIVE,      /* bytes at the end; its ticks are blocks */
  HEAP_PEAK,      /* bytes at the moment when the process had most */
  HEAP_TEMPORARY, /* allocations that were freed before their thread's next */
  HEAP_METRIC_COUNT
};

/* The metrics of calls of MPI, which a profile has together. */
enum message_metric {
  MESSAGE_SENT, /* bytes; not those of files, nor in the next */
  MESSAGE_RECEIVED,
  MESSAGE_TIME, /* in all calls; in those of a kind (enum mpi_call_kind): */
  MESSAGE_TRANSFER,
  MESSAGE_WAITING,
  MESSAGE_COLLECTIVE,
  MESSAGE_METRIC_COUNT
};

/* What the figures of a metric rest on. */
enum evidence {
  EVIDENCE_TICKS,   /* sampled: ticks are independent, and their number gives the uncertainty */
  EVIDENCE_COUNTED, /* counted: exact */
  EVIDENCE_UNKNOWN, /* sampled, but nobody knows in how many samples: uncertainty unknown */
  EVIDENCE_SIZED,   /* sampled, larger ones rather than small ones: each amount has its variance */
};

enum { METRICS_MOST = 64 };

/* A metric in one process. */
struct profile_measure {
  uint32_t process;
  uint64_t counted;       /* METRIC_EVENT: by the kernel */
  double squares;         /* sum of the squares of what single ticks stand for; 0: not known */
  struct amount profiler; /* ticks inside the runtime */
  /* What its threads' ticks stand for; only where the profile has process_calls, else the sum of
   * `ticks`. */
  struct amount delivered;
};

struct profile_metric {
  const char *name;  /* "cpu", "waiting", or as the kernel or the file names it; never null */
  const char *unit;  /* of all amounts: "instructions", "bytes"; null: nanoseconds */
  uint32_t kind;     /* enum metric_kind */
  uint32_t evidence; /* enum evidence */
  struct profile_tick *ticks;
  struct profile_instruction *instructions;
  struct profile_measure *measures;         /* by process */
  struct amount *self;                      /* by context: the sums of `ticks`, by metrics_charge */
  struct profile_slice_tick *series;        /* by slice; of a file only where they were asked for */
  struct profile_spread *spreads;           /* merged: by function, then by line, then by context */
  struct profile_spread_size *spread_sizes; /* by function, then by size */
  size_t tick_count, instruction_count, measure_count, series_count, spread_count;
  size_t spread_size_count;
  double row_squares; /* of ticks that were left in the file: the sum of raw_ns^2 / ticks */
};

/* Add one without ticks, and return its id. The texts are the profile's. */
uint32_t metrics_add(struct profile *profile, enum metric_kind kind, const char *name,
                     const char *unit);
void metrics_free(struct profile *profile);
void metric_free(struct profile_metric *metric); /* one of them, which is left out afterwards */

const char *heap_metric_name(enum heap_area area, enum heap_metric metric);
const char *heap_metric_unit(enum heap_metric metric);
const char *message_metric_name(enum message_metric metric);
const char *message_metric_unit(enum message_metric metric);

/* Bytes from one sample to the next on average, the most of all processes; 0: all allocations are
 * known, or the heap was not recorded. */
uint64_t heap_mean(const struct profile *profile);

/* Whether its amounts are of calls that the runtime answers, of allocators or of MPI: all are
 * recorded, or samples of them, whatever time the processor took. */
bool metric_is_of_calls(const struct profile_metric *metric);

/* Whether its series say what was so at the end of a slice in which that changed, not what came in
 * it: they are by tick, then by process, then by time. In a merged profile a tick may be of several
 * processes, each of which has its own level. */
bool metric_is_level(const struct profile_metric *metric);

/* Whether a row of such series is the last of its tick in its process. */
bool metric_level_ends(const struct profile *profile, const struct profile_metric *metric,
                       size_t row);

/* The metric of this name, or NOTHING. */
uint32_t metrics_find(const struct profile *profile, const char *name);

/* Their names: "cpu, waiting". In the pool. */
const char *metrics_text(const struct profile *profile, struct pool *pool);

/* In a process, which has none before that. For all measures that a profile is made of; others read
 * metric->measures, which metrics_charge makes as many as there are processes. */
struct profile_measure *metrics_measure(struct profile_metric *metric, uint32_t process);

/* Of a profile whose contexts and ticks are complete: sums each context's ticks. */
void metrics_charge(struct profile *profile);

/* Exchange a metric with the first one. Figures of single runs exist for the first metric only, so
 * the runs become one. */
void metrics_put_first(struct profile *profile, uint32_t metric);

/* The same profile, whose figures are of another metric; it uses the profile's memory and needs not
 * be freed. */
struct profile metric_view(const struct profile *profile, uint32_t metric);

#endif
