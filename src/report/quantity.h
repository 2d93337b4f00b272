/* Amounts of any unit in words and columns: time, or what a profile from elsewhere counts. */
#ifndef ASCRIBE_REPORT_QUANTITY_H
#define ASCRIBE_REPORT_QUANTITY_H

#include "attribution/books.h"
#include "report/text.h"

/* `unit` is that of struct profile_origin: null means time. */

/* The unit of all amounts of a report whose largest is `whole`. */
struct time_unit quantity_unit(const char *unit, uint64_t whole);

enum { QUANTITY_BYTES = 96 };

/* An amount with its unit: "1.234 s", "12.3 M instructions", "8.2 kB". */
const char *quantity_text(const char *unit, double amount, char text[QUANTITY_BYTES]);

/* The same with its uncertainty: "1.234 s +- 56.7 ms", "12.3 M instructions (uncertainty not
 * known)", "16.8 MB (219 kB..93.3 MB)" where +- would reach below 0, and nothing behind exact
 * amounts. */
enum { QUANTITY_ESTIMATE_BYTES = 2 * QUANTITY_BYTES };
const char *quantity_estimate_text(const char *unit, struct estimate estimate,
                                   char text[QUANTITY_ESTIMATE_BYTES]);

/* The number alone, for columns whose heading has the unit: of time with its unit. */
const char *quantity_short_text(const char *unit, double amount, char text[DURATION_BYTES]);

#endif
