/* Rust's v0 mangling (RFC 2603, "Rust symbol name mangling v0"): what the rules of its grammar
 * share.  Each rule is a function that reads at parser->at and writes what people read; after a
 * failure all of them do nothing. */
#ifndef ASCRIBE_SYMBOLS_RUST_PARSER_H
#define ASCRIBE_SYMBOLS_RUST_PARSER_H

#include <stddef.h>
#include <stdint.h>

/* Back references may double the output at every level. */
enum { RUST_LONGEST_OUTPUT = 8192 };

struct rust_parser {
  const char *start; /* after "_R": back references count from here */
  const char *at, *end;
  char *out;
  size_t length;
  unsigned depth, steps;
  unsigned silent;    /* parse without printing */
  uint64_t lifetimes; /* bound by the binders around */
  int failed;
};

struct rust_identifier {
  const char *bytes;
  size_t length;
  uint64_t disambiguator;
};

static inline int rust_is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* rust_parser.c: reading and writing. */
void rust_put_bytes(struct rust_parser *parser, const char *bytes, size_t count);
void rust_put(struct rust_parser *parser, const char *text);
void rust_put_number(struct rust_parser *parser, uint64_t number);
/* Pass over one character if it is the expected one; returns whether it was. */
int rust_take(struct rust_parser *parser, char expected);
/* The next character; '\0' and a failure at the end. */
char rust_next(struct rust_parser *parser);
/* base-62-number = { 0-9 a-z A-Z } "_"; "_" alone is 0. */
uint64_t rust_base62(struct rust_parser *parser);
/* A tagged base-62 number that may be absent (then 0; present ones count from 1). */
uint64_t rust_optional_base62(struct rust_parser *parser, char tag);
/* undisambiguated-identifier = ["u"] decimal-number ["_"] bytes */
struct rust_identifier rust_plain_identifier(struct rust_parser *parser);
/* identifier = ["s" base-62-number] undisambiguated-identifier */
struct rust_identifier rust_identifier(struct rust_parser *parser);
/* Go back to an earlier place. Returns where to go on afterwards, or null (failed). */
const char *rust_begin_backref(struct rust_parser *parser, const char *tag);
/* Around each rule that can recurse; rust_enter returns 0 when it must not be followed. */
int rust_enter(struct rust_parser *parser);
void rust_leave(struct rust_parser *parser);

/* rust_path.c */
void rust_path(struct rust_parser *parser, int in_value);
void rust_generic_argument(struct rust_parser *parser);
/* Arguments up to "E", between commas. Returns how many. */
unsigned rust_arguments(struct rust_parser *parser, void (*rule)(struct rust_parser *));
/* 0 is the erased lifetime; others count binders from the innermost. */
void rust_put_lifetime(struct rust_parser *parser, uint64_t index);

/* rust_type.c, rust_const.c */
void rust_type(struct rust_parser *parser);
void rust_const(struct rust_parser *parser);

#endif
