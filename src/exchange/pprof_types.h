/* What the values of a pprof file's samples are. */
#ifndef ASCRIBE_EXCHANGE_PPROF_TYPES_H
#define ASCRIBE_EXCHANGE_PPROF_TYPES_H

#include "exchange/pprof_tables.h"
#include "profile/profile.h"

/* One that is a metric. */
struct pprof_value {
  size_t value;     /* its index */
  size_t samples;   /* index of the value that counts its samples; SIZE_MAX: there is none */
  uint64_t factor;  /* to the unit: nanoseconds of microseconds */
  const char *name; /* "cpu" */
  const char *unit; /* as in struct profile_metric */
};

struct pprof_values {
  struct pprof_value list[METRICS_MOST];
  size_t count, left_out; /* left_out: of a name that another has, or beyond METRICS_MOST */
};

/* All but those that count the samples of others. The first is `wanted`, the name of a sample type;
 * or, where that is null, CPU time, else the file's own default, else any time, else the last as
 * pprof does. */
int pprof_values_choose(const struct pprof_tables *tables, const char *wanted,
                        struct pprof_values *values, struct error *error);

#endif
