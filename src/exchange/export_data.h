/* What every format is written from: the selected ticks in nanoseconds that add up, and names
 * that tell functions apart. */
#ifndef ASCRIBE_EXCHANGE_EXPORT_DATA_H
#define ASCRIBE_EXCHANGE_EXPORT_DATA_H

#include "attribution/books.h"
#include "attribution/run.h"
#include "attribution/stack_path.h"
#include "exchange/export.h"

/* What fell on one line in one context, under one stack of calling lines. */
struct export_sample {
  uint32_t thread;
  uint32_t context; /* NOTHING: in no cost centre */
  uint32_t line;    /* of the running function; NOTHING: not known */
  uint32_t stack;   /* as in struct profile_tick */
  struct amount amount;
  uint64_t ns; /* of it, scaled; of the profile's unit where that is not time */
};

enum { MOST_REMARKS = 4 };

struct export_data {
  const struct profile *profile;
  const struct profile *stacks; /* whose functions and contexts those of samples are: the profile,
                                 * or its cost centres */
  const struct export_options *options;
  struct books books;
  struct run run;
  const char *title; /* the command; like all texts here clean: valid UTF-8 on one line */
  const char *unit;  /* null: nanoseconds */
  const char *event; /* what was measured: "cpu" */
  const char *remarks[MOST_REMARKS + 1]; /* what a reader should know; null after the last */
  const char **names;                    /* by function of `stacks`: no two are equal */
  struct pool *pool;                     /* owns the texts */
  bool *selected;                        /* by context of `profile` */
  bool *is_program;                      /* by object: an executable that was run, and no library */
  struct export_sample *samples;
  size_t sample_count;
  struct amount all; /* their sum, not scaled yet */
  uint64_t ns;       /* their sum: what a report shows as the sum of all self times */
};

void export_data_open(struct export_data *data, const struct profile *profile,
                      const struct export_options *options);
/* The sample's stack as it is drawn; empty: it is in no cost centre. Those of cost centres have no
 * holes: they fold when they are entered. */
void export_path(const struct export_data *data, const struct export_sample *sample,
                 struct stack_path *path);
void export_path_of_context(const struct export_data *data, uint32_t context,
                            struct stack_path *path);

void export_data_close(struct export_data *data);

/* The context of `stacks` in which a tick is. NOTHING: in no cost centre. */
uint32_t export_context(const struct export_data *data, const struct profile_tick *tick);

/* Whether a transition of `stacks` counts. */
bool export_counts(const struct export_data *data, const struct profile_transition *transition);

/* The name of what is in no cost centre. */
#define EXPORT_OUTSIDE "(in no cost centre)"

/* What is known of calls that were counted without their contexts (struct profile_count). */
enum site_counts {
  SITE_COUNTS_NONE,    /* there are none */
  SITE_COUNTS_UNKNOWN, /* not of what is selected: a thread, a focus */
  SITE_COUNTS_KNOWN,
};
enum site_counts export_site_counts(const struct export_data *data);

#endif
