/* What stands in several parts of the JSON report. */
#ifndef ASCRIBE_REPORT_JSON_VALUES_H
#define ASCRIBE_REPORT_JSON_VALUES_H

#include "attribution/books.h"
#include "base/json.h"

/* An id as in the profile file, from 1; NOTHING gives null. */
void json_id(struct json *json, const char *key, uint32_t id);

/* A function's name; NOTHING gives null. */
void json_function_name(struct json *json, const struct profile *profile, const char *key,
                        uint32_t function);

/* A line; 0 gives null. */
void json_line(struct json *json, const char *key, uint32_t line);

/* "through": how code came to where it runs, innermost first; for the function's own code empty. */
void json_through(struct json *json, const struct profile *profile, uint32_t expansion);

/* A time and its uncertainty, or that alone; null where it is not known. */
void json_estimate(struct json *json, const char *ns_key, const char *uncertainty_key,
                   struct estimate estimate);
void json_uncertainty(struct json *json, const char *key, struct estimate estimate);

/* KEY_ns, KEY_uncertainty_ns, KEY_low_ns and KEY_high_ns (null: not known) and KEY_ticks. */
void json_amount(struct json *json, const char *key, const struct books *books,
                 struct amount amount);
/* The same, all null. */
void json_no_amount(struct json *json, const char *key);

/* least_calls and most_calls, of calls that follow from equations; else null. */
void json_calls_range(struct json *json, bool solved, uint64_t least, uint64_t most);

#endif
