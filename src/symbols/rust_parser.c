#include "symbols/rust_parser.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 200, MOST_STEPS = 100000 };

void rust_put_bytes(struct rust_parser *parser, const char *bytes, size_t count) {
  if (parser->silent || parser->failed) return;
  if (count > RUST_LONGEST_OUTPUT - parser->length) {
    parser->failed = 1;
    return;
  }
  memcpy(parser->out + parser->length, bytes, count);
  parser->length += count;
}

void rust_put(struct rust_parser *parser, const char *text) {
  rust_put_bytes(parser, text, strlen(text));
}

void rust_put_number(struct rust_parser *parser, uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  rust_put(parser, text);
}

int rust_take(struct rust_parser *parser, char expected) {
  if (parser->failed || parser->at >= parser->end || *parser->at != expected) return 0;
  parser->at++;
  return 1;
}

char rust_next(struct rust_parser *parser) {
  if (parser->failed || parser->at >= parser->end) {
    parser->failed = 1;
    return '\0';
  }
  return *parser->at++;
}

static uint64_t decimal(struct rust_parser *parser) {
  if (parser->at >= parser->end || !rust_is_digit(*parser->at)) {
    parser->failed = 1;
    return 0;
  }
  if (rust_take(parser, '0')) return 0;
  uint64_t number = 0;
  while (parser->at < parser->end && rust_is_digit(*parser->at)) {
    if (number > UINT32_MAX) {
      parser->failed = 1;
      return 0;
    }
    number = number * 10 + (uint64_t)(*parser->at++ - '0');
  }
  return number;
}

uint64_t rust_base62(struct rust_parser *parser) {
  if (rust_take(parser, '_')) return 0;
  uint64_t number = 0;
  for (;;) {
    char c = rust_next(parser);
    if (c == '_') return number + 1;
    uint64_t digit;
    if (rust_is_digit(c))
      digit = (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'z')
      digit = 10 + (uint64_t)(c - 'a');
    else if (c >= 'A' && c <= 'Z')
      digit = 36 + (uint64_t)(c - 'A');
    else {
      parser->failed = 1;
      return 0;
    }
    if (__builtin_mul_overflow(number, 62, &number) ||
        __builtin_add_overflow(number, digit, &number)) {
      parser->failed = 1;
      return 0;
    }
  }
}

uint64_t rust_optional_base62(struct rust_parser *parser, char tag) {
  return rust_take(parser, tag) ? rust_base62(parser) + 1 : 0;
}

int rust_enter(struct rust_parser *parser) {
  if (parser->depth >= DEEPEST || ++parser->steps > MOST_STEPS) parser->failed = 1;
  if (parser->failed) return 0;
  parser->depth++;
  return 1;
}

void rust_leave(struct rust_parser *parser) {
  parser->depth--;
}

struct rust_identifier rust_plain_identifier(struct rust_parser *parser) {
  rust_take(parser, 'u'); /* punycode: shown as it is encoded */
  uint64_t length = decimal(parser);
  rust_take(parser, '_');
  if (parser->failed || length > (size_t)(parser->end - parser->at)) {
    parser->failed = 1;
    return (struct rust_identifier){"", 0, 0};
  }
  struct rust_identifier identifier = {parser->at, (size_t)length, 0};
  parser->at += length;
  return identifier;
}

struct rust_identifier rust_identifier(struct rust_parser *parser) {
  uint64_t disambiguator = rust_optional_base62(parser, 's');
  struct rust_identifier identifier = rust_plain_identifier(parser);
  identifier.disambiguator = disambiguator;
  return identifier;
}

const char *rust_begin_backref(struct rust_parser *parser, const char *tag) {
  uint64_t offset = rust_base62(parser);
  if (parser->failed || offset >= (size_t)(tag - parser->start)) {
    parser->failed = 1;
    return NULL;
  }
  const char *back = parser->at;
  parser->at = parser->start + offset;
  return back;
}
