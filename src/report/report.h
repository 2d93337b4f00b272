/* Reports for people (text) and machines (JSON). */
#ifndef ASCRIBE_REPORT_REPORT_H
#define ASCRIBE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "attribution/costs.h"

enum report_part {
  REPORT_FLAT = 1,
  REPORT_GRAPH = 2,
  REPORT_CONTEXTS = 4,
  REPORT_CYCLES = 8,
  REPORT_MISLED = 16,
  REPORT_LINES = 32,
  REPORT_SOURCE = 64,
  REPORT_ASM = 128,
  REPORT_RUNS = 256,
  REPORT_PROCESSES = 512,
  REPORT_THREADS = 1024,
  REPORT_CALLS = 2048,
  REPORT_CENTRES = 4096,
  REPORT_HEAP = 8192,
  REPORT_LEAKS = 16384,
  REPORT_PEAK = 32768,
  REPORT_SERIES = 65536, /* of a profile that has its series (store_load_series) */
  REPORT_TABLE = 131072,
  REPORT_RANKS = 262144,
};
enum report_sort { SORT_DEFAULT, SORT_SELF, SORT_TOTAL, SORT_CALLS, SORT_NAME };

struct subject;

struct report_options {
  unsigned parts; /* enum report_part bits */
  struct selection selection;
  const uint32_t *metrics; /* beside each other in the flat profile, where there are several; the
                            * rest is of the metric that the profile is a view of */
  size_t metric_count;
  enum report_sort sort; /* default: flat profile by self, call graph by total */
  size_t limit;          /* entries of each part; 0: what covers most of the time; SIZE_MAX: all */
  const struct subject *source;   /* of REPORT_SOURCE: functions or a file (subject.h) */
  const struct subject *assembly; /* of REPORT_ASM: functions */
  const struct subject *calls;    /* of REPORT_CALLS: functions */
  bool all;    /* all lines and instructions of them, not only those that matter */
  bool copies; /* of lines, below them */
  bool mine;   /* own code only (own_code.h), of the flat profile, the call graph and lines */
  const char *profile_path; /* of the profile as a file; null: it is a recording */
};

/* The ten lines after `ascribe record`: total time, ticks, cost of profiling, top functions. */
void report_summary(const struct profile *profile, FILE *out);

/* The same after `ascribe import` and `ascribe merge`. */
void report_imported_summary(const struct profile *profile, FILE *out);
void report_merged_summary(const struct profile *profile, FILE *out);

struct terminal;
void report_print(const struct profile *profile, const struct report_options *options,
                  const struct terminal *terminal, FILE *out);

/* The same parts as one JSON object (docs/PROFILE.md). */
void report_json(const struct profile *profile, const struct report_options *options, FILE *out);

#endif
