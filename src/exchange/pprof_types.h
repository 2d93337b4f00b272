/* Which of the values of a pprof file's samples is taken, and what it is. */
#ifndef ASCRIBE_EXCHANGE_PPROF_TYPES_H
#define ASCRIBE_EXCHANGE_PPROF_TYPES_H

#include "exchange/pprof_tables.h"
#include "profile/profile.h"

struct pprof_choice {
  size_t value;      /* index of the value that is taken */
  size_t samples;    /* index of the value that counts samples; SIZE_MAX: there is none */
  uint64_t factor;   /* to the unit: nanoseconds of microseconds */
  const char *event; /* "cpu" */
  const char *unit;  /* as in struct profile_origin */
  const char *note;  /* of what is left out, or null */
  enum evidence evidence;
};

/* `wanted` is the name of a sample type, or null: then CPU time, else the file's own default, else
 * any time, else the last as pprof does. */
int pprof_choose(const struct pprof_tables *tables, const char *wanted, struct pprof_choice *choice,
                 struct error *error);

#endif
