#include <stdio.h>
#include <string.h>

#include "symbols/rust_parser.h"

/* const-data = ["n"] {hex-digit} "_": the digits. */
static struct rust_identifier const_digits(struct rust_parser *parser) {
  const char *first = parser->at;
  for (;;) {
    char c = rust_next(parser);
    if (c == '_') return (struct rust_identifier){first, (size_t)(parser->at - 1 - first), 0};
    if (!rust_is_digit(c) && !(c >= 'a' && c <= 'f')) {
      parser->failed = 1;
      return (struct rust_identifier){first, 0, 0};
    }
  }
}

static uint64_t digits_value(struct rust_identifier digits) {
  uint64_t value = 0;
  for (size_t i = 0; i < digits.length; i++) {
    char c = digits.bytes[i];
    value = value << 4 | (uint64_t)(rust_is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  return value;
}

static void put_integer(struct rust_parser *parser) {
  if (rust_take(parser, 'n')) rust_put(parser, "-");
  struct rust_identifier digits = const_digits(parser);
  if (digits.length <= 16) {
    rust_put_number(parser, digits_value(digits));
    return;
  }
  rust_put(parser, "0x");
  rust_put_bytes(parser, digits.bytes, digits.length);
}

static void put_character(struct rust_parser *parser) {
  uint64_t value = digits_value(const_digits(parser));
  char text[16];
  if (value >= ' ' && value < 0x7f && value != '\'' && value != '\\')
    snprintf(text, sizeof text, "'%c'", (int)value);
  else if (value <= 0x10ffff)
    snprintf(text, sizeof text, "'\\u{%x}'", (unsigned)value);
  else {
    parser->failed = 1;
    return;
  }
  rust_put(parser, text);
}

static void put_boolean(struct rust_parser *parser) {
  struct rust_identifier digits = const_digits(parser);
  if (digits.length != 1 || digits_value(digits) > 1)
    parser->failed = 1;
  else
    rust_put(parser, digits_value(digits) ? "true" : "false");
}

void rust_const(struct rust_parser *parser) {
  if (!rust_enter(parser)) return;
  const char *tag = parser->at, *back;
  char kind = rust_next(parser);
  if (kind == 'B') {
    back = rust_begin_backref(parser, tag);
    if (back) {
      rust_const(parser);
      parser->at = back;
    }
  } else if (kind == 'p')
    rust_put(parser, "_");
  else if (kind == 'b')
    put_boolean(parser);
  else if (kind == 'c')
    put_character(parser);
  else if (kind != '\0' && strchr("ahijlmnostxy", kind))
    put_integer(parser);
  else
    parser->failed = 1;
  rust_leave(parser);
}
