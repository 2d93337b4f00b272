#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"

/* Of a control character: one to three bytes. */
static unsigned code_of(const char *text, size_t bytes) {
  const unsigned char *at = (const unsigned char *)text;
  if (bytes == 1) return at[0];
  if (bytes == 2) return (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
  return (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
}

static bool is_plain(unsigned char byte) {
  return byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Streams are of one thread: locking them for each piece takes half the time. */
static void quote(FILE *out, const char *text) {
  putc_unlocked('"', out);
  while (*text) {
    size_t bytes = 0;
    while (is_plain((unsigned char)text[bytes]))
      bytes++;
    if (bytes) {
      fwrite_unlocked(text, 1, bytes, out);
      text += bytes;
      continue;
    }
    bytes = utf8_bytes(text);
    if (!bytes)
      fputs("\\ufffd", out);
    else if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else if (utf8_is_control(text, bytes))
      fprintf(out, "\\u%04x", code_of(text, bytes));
    else
      fwrite_unlocked(text, 1, bytes, out);
    text += bytes ? bytes : 1;
  }
  putc_unlocked('"', out);
}

static void begin(struct json *json, const char *key) {
  if (!json->first) putc_unlocked(',', json->out);
  json->first = false;
  if (!key) return;
  quote(json->out, key);
  putc_unlocked(':', json->out);
}

void json_open(struct json *json, const char *key, char bracket) {
  begin(json, key);
  putc_unlocked(bracket, json->out);
  json->first = true;
}

void json_close(struct json *json, char bracket) {
  putc_unlocked(bracket, json->out);
  json->first = false;
}

static void write_digits(FILE *out, uint64_t value) {
  char text[20], *at = text + sizeof text;
  do
    *--at = (char)('0' + value % 10);
  while (value /= 10);
  fwrite_unlocked(at, 1, (size_t)(text + sizeof text - at), out);
}

void json_number(struct json *json, const char *key, uint64_t value) {
  begin(json, key);
  write_digits(json->out, value);
}

void json_integer(struct json *json, const char *key, int64_t value) {
  begin(json, key);
  if (value < 0) putc_unlocked('-', json->out);
  write_digits(json->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_real(struct json *json, const char *key, double value) {
  begin(json, key);
  char text[32];
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
  fputs(isfinite(value) ? text : "null", json->out);
}

void json_flag(struct json *json, const char *key, bool value) {
  begin(json, key);
  fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key) {
  begin(json, key);
  fputs("null", json->out);
}

void json_text(struct json *json, const char *key, const char *text) {
  if (!text) {
    json_null(json, key);
    return;
  }
  if (json->each_text) json->each_text(json->context, text);
  begin(json, key);
  quote(json->out, text);
}

void json_written(struct json *json, const char *key, const char *value) {
  begin(json, key);
  fputs(value, json->out);
}
