/* JSON, written as it comes: no tree is built. */
#ifndef ASCRIBE_BASE_JSON_H
#define ASCRIBE_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Commas are put by the writer. `key` is null inside arrays. */
struct json {
  FILE *out;
  bool first; /* nothing was written yet inside the innermost brackets */
  /* Called with each text that is written as a value, before it is; or null. */
  void (*each_text)(void *context, const char *text);
  void *context;
};

void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */
void json_number(struct json *json, const char *key, uint64_t value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_real(struct json *json, const char *key, double value); /* not finite: null */
void json_flag(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* Null gives null.  Bytes that are no valid UTF-8 become U+FFFD. */
void json_text(struct json *json, const char *key, const char *text);

/* JSON that is there already. */
void json_written(struct json *json, const char *key, const char *value);

#endif
