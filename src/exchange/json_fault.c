#include "exchange/json_fault.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What JSON allows at the position that is read: a value, the name of a member, or the comma or
 * closing bracket after a value. */
enum expected { VALUE, VALUE_OR_END, NAME, NAME_OR_END, SEPARATOR };

#define DIGITS "0123456789"

struct scan {
  const char *at, *end;
  char *brackets; /* that are open, outermost first */
  size_t depth;
  enum expected expected;
};

static bool is_one_of(char letter, const char *letters) {
  return letter && strchr(letters, letter);
}

static void skip_blanks(struct scan *scan) {
  while (scan->at < scan->end && is_one_of(*scan->at, " \t\r\n"))
    scan->at++;
}

static bool take_letter(struct scan *scan, const char *letters) {
  if (scan->at == scan->end || !is_one_of(*scan->at, letters)) return false;
  scan->at++;
  return true;
}

/* What follows a backslash. */
static bool skip_escape(struct scan *scan) {
  if (!take_letter(scan, "u")) return take_letter(scan, "\"\\/bfnrt");
  for (int i = 0; i < 4; i++)
    if (!take_letter(scan, "0123456789abcdefABCDEF")) return false;
  return true;
}

/* The rest of a text whose quotation mark was read. */
static bool skip_text(struct scan *scan) {
  while (scan->at < scan->end && (unsigned char)*scan->at >= ' ') {
    char letter = *scan->at++;
    if (letter == '"') return true;
    if (letter == '\\' && !skip_escape(scan)) return false;
  }
  return false;
}

static bool skip_digits(struct scan *scan) {
  if (!take_letter(scan, DIGITS)) return false;
  while (take_letter(scan, DIGITS))
    continue;
  return true;
}

static bool skip_number(struct scan *scan) {
  take_letter(scan, "-");
  if (!take_letter(scan, "0") && !skip_digits(scan)) return false;
  if (take_letter(scan, ".") && !skip_digits(scan)) return false;
  if (!take_letter(scan, "eE")) return true;
  take_letter(scan, "+-");
  return skip_digits(scan);
}

static bool skip_word(struct scan *scan) {
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

static bool open_bracket(struct scan *scan, char bracket) {
  ARRAY_GROW(scan->brackets, scan->depth);
  scan->brackets[scan->depth++] = bracket;
  scan->expected = bracket == '{' ? NAME_OR_END : VALUE_OR_END;
  return true;
}

static bool close_bracket(struct scan *scan, char bracket) {
  bool may_end = scan->expected == SEPARATOR || scan->expected == NAME_OR_END ||
                 scan->expected == VALUE_OR_END;
  if (!may_end || !scan->depth) return false;
  scan->expected = SEPARATOR;
  return scan->brackets[--scan->depth] == (bracket == '}' ? '{' : '[');
}

static bool take_name(struct scan *scan) {
  if (*scan->at != '"') return false;
  scan->at++;
  if (!skip_text(scan)) return false;
  skip_blanks(scan);
  scan->expected = VALUE;
  return scan->at < scan->end && *scan->at++ == ':';
}

static bool take_value(struct scan *scan) {
  char first = *scan->at;
  scan->expected = SEPARATOR;
  if (first != '"' && first != '{' && first != '[') return skip_word(scan);
  scan->at++;
  return first == '"' ? skip_text(scan) : open_bracket(scan, first);
}

/* What stands at the next byte that is not a blank. False: it is wrong. */
static bool take_next(struct scan *scan) {
  char next = *scan->at;
  if (next == '}' || next == ']') {
    scan->at++;
    if (close_bracket(scan, next)) return true;
    scan->at--;
    return false;
  }
  if (scan->expected == NAME || scan->expected == NAME_OR_END) return take_name(scan);
  if (scan->expected != SEPARATOR) return take_value(scan);
  if (next != ',' || !scan->depth) return false;
  scan->at++;
  scan->expected = scan->brackets[scan->depth - 1] == '{' ? NAME : VALUE;
  return true;
}

uint64_t json_fault_line(const char *text, size_t bytes) {
  struct scan scan = {.at = text, .end = text + bytes};
  bool right = true;
  for (skip_blanks(&scan); right && scan.at < scan.end; skip_blanks(&scan))
    right = take_next(&scan);
  free(scan.brackets);
  if (right && scan.expected == SEPARATOR && !scan.depth) return 0;
  uint64_t line = 1;
  if (scan.at == scan.end && bytes && scan.at[-1] == '\n') scan.at--;
  for (const char *at = text; at < scan.at && (at = memchr(at, '\n', scan.at - at)); at++)
    line++;
  return line;
}
