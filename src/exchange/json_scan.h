/* JSON text read from front to end, one value at a time, nested as deeply as it is. Nothing is
 * built of it: what a reader wants it keeps. json_rows.h has queries instead, for small files. */
#ifndef ASCRIBE_EXCHANGE_JSON_SCAN_H
#define ASCRIBE_EXCHANGE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind {
  JSON_END,    /* the text is one value, and has been read */
  JSON_FAULT,  /* it is not JSON from here on, or cut off */
  JSON_OPENED, /* an object or array */
  JSON_CLOSED, /* the innermost one */
  JSON_TEXT,
  JSON_WORD /* a number, true, false, null */
};

struct json_scan {
  const char *text, *at, *end;
  char *brackets; /* that are open, outermost first */
  size_t depth;
  int expected;                         /* what may follow; the scan's own */
  const char *name, *value, *value_end; /* in the text, without quotation marks */
  size_t name_bytes;                    /* of the member's name as it is spelled; 0 in arrays */
};

/* The text is not copied and must outlive the scan. */
void json_scan_open(struct json_scan *scan, const char *text, size_t bytes);
void json_scan_close(struct json_scan *scan);

/* The next value, or the end of one. `name` is that of the member that it is in an object, also at
 * its start. */
enum json_kind json_scan_next(struct json_scan *scan);

/* Whether the value that was read last is a member of this name. */
bool json_scan_is(const struct json_scan *scan, const char *name);

/* Whether the innermost open bracket is that of an object. */
bool json_scan_in_object(const struct json_scan *scan);

/* Reads to the end of the object or array that was opened last. False: at a fault. */
bool json_scan_skip(struct json_scan *scan);

/* The JSON_TEXT that was read last, its escapes replaced, to be freed. What no text may have ends
 * it. */
char *json_scan_text(const struct json_scan *scan);

/* The JSON_WORD or JSON_TEXT that was read last as a whole number: at most `most`, and 0 where it
 * is negative or no number. */
uint64_t json_scan_number(const struct json_scan *scan, uint64_t most);

/* The line, from 1, at which the text read is no longer the beginning of a JSON value; its last
 * line where it is cut off. Of a scan that has come to JSON_FAULT. */
uint64_t json_scan_line(const struct json_scan *scan);

/* The same of a whole text. 0: it is JSON. */
uint64_t json_fault_line(const char *text, size_t bytes);

#endif
