/* Numbers and names in columns. */
#ifndef ASCRIBE_REPORT_TEXT_H
#define ASCRIBE_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "attribution/books.h"
#include "base/utf8.h"
#include "symbols/name_parts.h"

/* The unit of all times of a report, so that columns compare. */
struct time_unit {
  char name[8]; /* "s", "ms" or "us" */
  double ns;
  int digits; /* after the point */
};
struct time_unit time_unit_for(uint64_t whole_ns);

/* A time, right-aligned in `width` columns. */
void text_time(FILE *out, struct time_unit unit, uint64_t ns, int width);

/* What stands after a time: its uncertainty; both ends of the interval ("1.2..5.9") where they are
 * not equally far away and there is room; "<x" where the time is 0 and x the most it can be; "?"
 * where it is not known. */
bool text_is_two_sided(struct estimate estimate); /* so that both ends are to be shown */
void text_uncertainty(FILE *out, struct time_unit unit, struct estimate estimate, int width);

/* `part` of `whole` in percent; 0 of nothing. */
double text_share(uint64_t part, uint64_t whole);

/* The same, right-aligned. */
void text_percent(FILE *out, uint64_t part, uint64_t whole, int width);

/* The same with its uncertainty, in UNCERTAIN_SHARE_COLUMNS columns: " 28.5 +- 4.1 ", or "  0.0
 * < 1.3 " with the most that it can be; without `uncertain`, or where it is not known, blanks. */
enum { UNCERTAIN_SHARE_COLUMNS = 14 };
void text_uncertain_share(FILE *out, struct estimate estimate, uint64_t whole_ns, bool uncertain);

enum { DURATION_BYTES = 32 };

/* A time with its unit: "1.234 s", "56.7 ms", "8.9 us", "12 ns". */
const char *duration_text(double ns, char text[DURATION_BYTES]);

/* The same with its 95 % uncertainty: "1.234 s +- 56.7 ms", "0 s (at most 3.9 ms)". */
enum { RANGE_BYTES = 2 * DURATION_BYTES + 8 };
/* "12.1 to 38.4 ms", "800 us to 2.10 ms"; a single time where both ends look the same. */
const char *range_text(double low_ns, double high_ns, char text[RANGE_BYTES]);

enum { COST_BYTES = RANGE_BYTES + 2 * DURATION_BYTES + 8 };
/* The same with its share of a whole: "12.1 to 38.4 ms (6.0 to 19.0 %)". */
const char *cost_text(struct range ns, uint64_t whole_ns, char text[COST_BYTES]);

enum { ESTIMATE_BYTES = 2 * DURATION_BYTES };
const char *estimate_text(uint64_t ns, uint64_t uncertainty_ns, char text[ESTIMATE_BYTES]);

/* "SIGSEGV", "signal 40". */
enum { SIGNAL_BYTES = 24 };
const char *signal_text(int signal, char text[SIGNAL_BYTES]);

/* A date and time in the local zone: "2026-11-20 10:48:28". */
enum { DATE_BYTES = 32 };
const char *date_text(uint64_t realtime_ns, char text[DATE_BYTES]);

/* What is known of calls that equations do not determine: " 3..20", " 3.."; "" if they do.  Most
 * UINT64_MAX: not known. */
enum { CALLS_RANGE_BYTES = 48 };
const char *calls_range_text(uint64_t least, uint64_t most, char text[CALLS_RANGE_BYTES]);

/* A name in at most `width` columns (0: no limit), its middle left out if it is longer.  What is
 * no valid UTF-8, and control characters, which a terminal would obey, appear as '?'. */
void text_name(FILE *out, const char *name, size_t width);

/* The name of a function: what says least of it is left out first, and last what tells it from
 * others (name_fit). */
void text_function(FILE *out, const char *name, struct name_part telling, size_t width);

/* The same as text_name, but what is too long is cut at its end. */
void text_start(FILE *out, const char *text, size_t width);

/* A line of source: the same, with blanks for tabs. */
void text_source(FILE *out, const char *line, size_t width);

#endif
