/* The lines on which the functions of a history called each other, where they are known. */
#ifndef ASCRIBE_EXCHANGE_CALLING_LINES_H
#define ASCRIBE_EXCHANGE_CALLING_LINES_H

#include "exchange/export_data.h"

struct source_line {
  const char *file; /* or null */
  uint32_t line;    /* 0: not known */
};

struct call_lines;

struct call_lines *call_lines_open(const struct profile *profile);
void call_lines_close(struct call_lines *calls);

/* For each entry of the sample's history: the line on which it called the next one; for the last
 * entry the line that ran.  `lines` has room for all of them.
 *
 * A history is folded, so a line is told only where it cannot be another activation's: the
 * function stands on one line only in the stack that was sampled, or calls the next one in one
 * line of the program only. */
void call_lines_of(struct call_lines *calls, const struct export_sample *sample,
                   struct source_line *lines);

/* A line of the profile. */
struct source_line call_lines_of_profile(const struct profile *profile, uint32_t id);

/* The line on which all calls from `caller` (NOTHING: spontaneous) to `callee` stand. */
struct source_line call_lines_of_arc(const struct call_lines *calls, uint32_t caller,
                                     uint32_t callee);

/* The line of a call site, as far as it is the caller's. */
struct source_line call_lines_of_site(const struct profile_site *site);

#endif
