#include "exchange/json_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What JSON allows at the position that is read: a value, the name of a member, or the comma or
 * closing bracket after a value. */
enum expected { VALUE, VALUE_OR_END, NAME, NAME_OR_END, SEPARATOR };

#define DIGITS "0123456789"

static bool is_one_of(char letter, const char *letters) {
  return letter && strchr(letters, letter);
}

static void skip_blanks(struct json_scan *scan) {
  while (scan->at < scan->end && is_one_of(*scan->at, " \t\r\n"))
    scan->at++;
}

static bool take_letter(struct json_scan *scan, const char *letters) {
  if (scan->at == scan->end || !is_one_of(*scan->at, letters)) return false;
  scan->at++;
  return true;
}

/* What follows a backslash. */
static bool skip_escape(struct json_scan *scan) {
  if (!take_letter(scan, "u")) return take_letter(scan, "\"\\/bfnrt");
  for (int i = 0; i < 4; i++)
    if (!take_letter(scan, "0123456789abcdefABCDEF")) return false;
  return true;
}

/* The rest of a text whose quotation mark was read. */
static bool skip_text(struct json_scan *scan) {
  while (scan->at < scan->end && (unsigned char)*scan->at >= ' ') {
    char letter = *scan->at++;
    if (letter == '"') return true;
    if (letter == '\\' && !skip_escape(scan)) return false;
  }
  return false;
}

static bool skip_digits(struct json_scan *scan) {
  if (!take_letter(scan, DIGITS)) return false;
  while (take_letter(scan, DIGITS))
    continue;
  return true;
}

static bool skip_number(struct json_scan *scan) {
  take_letter(scan, "-");
  if (!take_letter(scan, "0") && !skip_digits(scan)) return false;
  if (take_letter(scan, ".") && !skip_digits(scan)) return false;
  if (!take_letter(scan, "eE")) return true;
  take_letter(scan, "+-");
  return skip_digits(scan);
}

static bool skip_word(struct json_scan *scan) {
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, words[i], length) != 0)
      continue;
    scan->at += length;
    return true;
  }
  return skip_number(scan);
}

static enum json_kind open_bracket(struct json_scan *scan, char bracket) {
  ARRAY_GROW(scan->brackets, scan->depth);
  scan->brackets[scan->depth++] = bracket;
  scan->expected = bracket == '{' ? NAME_OR_END : VALUE_OR_END;
  return JSON_OPENED;
}

static enum json_kind close_bracket(struct json_scan *scan, char bracket) {
  bool may_end = scan->expected == SEPARATOR || scan->expected == NAME_OR_END ||
                 scan->expected == VALUE_OR_END;
  if (!may_end || !scan->depth || scan->brackets[scan->depth - 1] != (bracket == '}' ? '{' : '['))
    return JSON_FAULT;
  scan->at++;
  scan->depth--;
  scan->expected = SEPARATOR;
  return JSON_CLOSED;
}

static bool take_name(struct json_scan *scan) {
  if (*scan->at != '"') return false;
  scan->name = ++scan->at;
  if (!skip_text(scan)) return false;
  scan->name_bytes = (size_t)(scan->at - scan->name) - 1;
  skip_blanks(scan);
  scan->expected = VALUE;
  return scan->at < scan->end && *scan->at++ == ':';
}

static enum json_kind take_value(struct json_scan *scan) {
  char first = *scan->at;
  scan->expected = SEPARATOR;
  bool is_text = first == '"';
  if (is_text || first == '{' || first == '[') scan->at++;
  if (first == '{' || first == '[') return open_bracket(scan, first);
  scan->value = scan->at;
  if (!(is_text ? skip_text(scan) : skip_word(scan))) return JSON_FAULT;
  scan->value_end = scan->at - is_text;
  return is_text ? JSON_TEXT : JSON_WORD;
}

/* A comma, and the name of a member. */
static bool take_before(struct json_scan *scan, char next) {
  if (scan->expected == NAME || scan->expected == NAME_OR_END) return take_name(scan);
  if (next != ',' || !scan->depth) return false;
  scan->at++;
  scan->expected = json_scan_in_object(scan) ? NAME : VALUE;
  return true;
}

void json_scan_open(struct json_scan *scan, const char *text, size_t bytes) {
  *scan = (struct json_scan){.text = text, .at = text, .end = text + bytes, .expected = VALUE};
}

void json_scan_close(struct json_scan *scan) {
  free(scan->brackets);
}

enum json_kind json_scan_next(struct json_scan *scan) {
  scan->name_bytes = 0;
  for (skip_blanks(scan); scan->at < scan->end; skip_blanks(scan)) {
    char next = *scan->at;
    if (next == '}' || next == ']') return close_bracket(scan, next);
    if (scan->expected == VALUE || scan->expected == VALUE_OR_END) return take_value(scan);
    if (!take_before(scan, next)) return JSON_FAULT;
  }
  return scan->expected == SEPARATOR && !scan->depth ? JSON_END : JSON_FAULT;
}

bool json_scan_is(const struct json_scan *scan, const char *name) {
  size_t bytes = strlen(name);
  return scan->name_bytes == bytes && (!bytes || memcmp(scan->name, name, bytes) == 0);
}

bool json_scan_in_object(const struct json_scan *scan) {
  return scan->depth && scan->brackets[scan->depth - 1] == '{';
}

bool json_scan_skip(struct json_scan *scan) {
  size_t outer = scan->depth - 1;
  while (scan->depth > outer)
    if (json_scan_next(scan) == JSON_FAULT) return false;
  return true;
}

/* ---- values ---- */

/* The four digits of an escape. */
static uint32_t code_unit(const char *digits) {
  char text[5] = {digits[0], digits[1], digits[2], digits[3]};
  return (uint32_t)strtoul(text, NULL, 16);
}

/* The character of "\\uD83D\\uDE00", behind its first "\\u"; a half of one is U+FFFD. */
static uint32_t escaped_character(const char **at, const char *end) {
  enum { HIGH = 0xd800, LOW = 0xdc00, BEHIND = 0xe000, REPLACEMENT = 0xfffd };
  uint32_t unit = code_unit(*at);
  *at += 4;
  if (unit < HIGH || unit >= BEHIND) return unit;
  if (unit >= LOW || end - *at < 6 || memcmp(*at, "\\u", 2) != 0) return REPLACEMENT;
  uint32_t low = code_unit(*at + 2);
  if (low < LOW || low >= BEHIND) return REPLACEMENT;
  *at += 6;
  return 0x10000 + ((unit - HIGH) << 10 | (low - LOW));
}

static char *put_character(char *to, uint32_t character) {
  if (character < 0x80) {
    *to++ = (char)character;
    return to;
  }
  int following = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  *to++ = (char)(0xff00 >> (following + 1) | character >> 6 * following);
  while (following--)
    *to++ = (char)(0x80 | (character >> 6 * following & 0x3f));
  return to;
}

/* What follows a backslash. */
static char *put_escape(char *to, const char **at, const char *end) {
  static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
  char letter = *(*at)++;
  if (letter == 'u') return put_character(to, escaped_character(at, end));
  const char *known = strchr(letters, letter);
  *to++ = known ? meant[known - letters] : letter;
  return to;
}

char *json_scan_text(const struct json_scan *scan) {
  char *text = memory_zeroed((size_t)(scan->value_end - scan->value) + 1, 1), *to = text;
  for (const char *at = scan->value; at < scan->value_end;) {
    char letter = *at++;
    if (letter == '\\')
      to = put_escape(to, &at, scan->value_end);
    else
      *to++ = letter;
  }
  return text;
}

uint64_t json_scan_number(const struct json_scan *scan, uint64_t most) {
  uint64_t number = 0;
  for (const char *at = scan->value; at < scan->value_end && *at >= '0' && *at <= '9'; at++)
    if (__builtin_mul_overflow(number, 10, &number) ||
        __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
      return most;
  return number < most ? number : most;
}

/* ---- faults ---- */

uint64_t json_scan_line(const struct json_scan *scan) {
  uint64_t line = 1;
  const char *fault = scan->at;
  if (fault == scan->end && fault > scan->text && fault[-1] == '\n') fault--;
  for (const char *at = scan->text; at < fault && (at = memchr(at, '\n', fault - at)); at++)
    line++;
  return line;
}

uint64_t json_fault_line(const char *text, size_t bytes) {
  struct json_scan scan;
  enum json_kind kind;
  json_scan_open(&scan, text, bytes);
  do
    kind = json_scan_next(&scan);
  while (kind != JSON_END && kind != JSON_FAULT);
  uint64_t line = kind == JSON_END ? 0 : json_scan_line(&scan);
  json_scan_close(&scan);
  return line;
}
