/* Rust's manglings.  v0: RFC 2603, "Rust symbol name mangling v0", whose grammar the functions
 * follow one by one.  Legacy: the Itanium form of nested names with an escaped path and a hash. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

/* Back references may double the output at every level. */
enum { DEEPEST = 200, LONGEST_OUTPUT = 8192, MOST_STEPS = 100000 };

struct parser {
  const char *start; /* after "_R": back references count from here */
  const char *at, *end;
  char *out;
  size_t length;
  unsigned depth, steps;
  unsigned silent;    /* parse without printing */
  uint64_t lifetimes; /* bound by the binders around */
  int failed;
};

static void put_bytes(struct parser *parser, const char *bytes, size_t count) {
  if (parser->silent || parser->failed) return;
  if (count > LONGEST_OUTPUT - parser->length) {
    parser->failed = 1;
    return;
  }
  memcpy(parser->out + parser->length, bytes, count);
  parser->length += count;
}

static void put(struct parser *parser, const char *text) {
  put_bytes(parser, text, strlen(text));
}

static void put_number(struct parser *parser, uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  put(parser, text);
}

static int peek(const struct parser *parser, char expected) {
  return !parser->failed && parser->at < parser->end && *parser->at == expected;
}

static int take(struct parser *parser, char expected) {
  if (!peek(parser, expected)) return 0;
  parser->at++;
  return 1;
}

static char next(struct parser *parser) {
  if (parser->failed || parser->at >= parser->end) {
    parser->failed = 1;
    return '\0';
  }
  return *parser->at++;
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static uint64_t decimal(struct parser *parser) {
  if (parser->at >= parser->end || !is_digit(*parser->at)) {
    parser->failed = 1;
    return 0;
  }
  if (take(parser, '0')) return 0;
  uint64_t number = 0;
  while (parser->at < parser->end && is_digit(*parser->at)) {
    if (number > UINT32_MAX) {
      parser->failed = 1;
      return 0;
    }
    number = number * 10 + (uint64_t)(*parser->at++ - '0');
  }
  return number;
}

/* base-62-number = { 0-9 a-z A-Z } "_"; "_" alone is 0. */
static uint64_t base62(struct parser *parser) {
  if (take(parser, '_')) return 0;
  uint64_t number = 0;
  for (;;) {
    char c = next(parser);
    if (c == '_') return number + 1;
    uint64_t digit;
    if (is_digit(c))
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

/* A tagged base-62 number that may be absent (then 0; present ones count from 1). */
static uint64_t optional_base62(struct parser *parser, char tag) {
  return take(parser, tag) ? base62(parser) + 1 : 0;
}

static void parse_path(struct parser *parser, int in_value);
static void parse_type(struct parser *parser);
static void parse_const(struct parser *parser);

/* Each rule that can recurse is entered through here. */
static int enter(struct parser *parser) {
  if (parser->depth >= DEEPEST || ++parser->steps > MOST_STEPS) parser->failed = 1;
  if (parser->failed) return 0;
  parser->depth++;
  return 1;
}

static void leave(struct parser *parser) {
  parser->depth--;
}

struct identifier {
  const char *bytes;
  size_t length;
  uint64_t disambiguator;
};

static struct identifier undisambiguated(struct parser *parser) {
  take(parser, 'u'); /* punycode: shown as it is encoded */
  uint64_t length = decimal(parser);
  take(parser, '_');
  if (parser->failed || length > (size_t)(parser->end - parser->at)) {
    parser->failed = 1;
    return (struct identifier){"", 0, 0};
  }
  struct identifier identifier = {parser->at, (size_t)length, 0};
  parser->at += length;
  return identifier;
}

static struct identifier parse_identifier(struct parser *parser) {
  uint64_t disambiguator = optional_base62(parser, 's');
  struct identifier identifier = undisambiguated(parser);
  identifier.disambiguator = disambiguator;
  return identifier;
}

/* Go back to an earlier place, let `rule` parse there, and return. */
static const char *begin_backref(struct parser *parser, const char *tag) {
  uint64_t offset = base62(parser);
  if (parser->failed || offset >= (size_t)(tag - parser->start)) {
    parser->failed = 1;
    return NULL;
  }
  const char *back = parser->at;
  parser->at = parser->start + offset;
  return back;
}

/* 0 is the erased lifetime; others count binders from the innermost. */
static void put_lifetime(struct parser *parser, uint64_t index) {
  if (index == 0) {
    put(parser, "'_");
    return;
  }
  if (index > parser->lifetimes) {
    parser->failed = 1;
    return;
  }
  uint64_t depth = parser->lifetimes - index;
  if (depth < 26) {
    char name[] = {'\'', (char)('a' + depth), '\0'};
    put(parser, name);
  } else {
    put(parser, "'_");
    put_number(parser, depth);
  }
}

static void parse_generic_argument(struct parser *parser) {
  if (take(parser, 'L'))
    put_lifetime(parser, base62(parser));
  else if (take(parser, 'K'))
    parse_const(parser);
  else
    parse_type(parser);
}

/* Arguments up to "E", between commas. Returns how many. */
static unsigned parse_arguments(struct parser *parser, void (*rule)(struct parser *)) {
  unsigned count = 0;
  while (!parser->failed && !take(parser, 'E')) {
    if (count++ > 0) put(parser, ", ");
    rule(parser);
  }
  return count;
}

/* impl-path = [disambiguator] path: where the impl stands, which is not shown. */
static void skip_impl_path(struct parser *parser) {
  optional_base62(parser, 's');
  parser->silent++;
  parse_path(parser, 0);
  parser->silent--;
}

static void parse_nested(struct parser *parser, int in_value) {
  char space = next(parser);
  parse_path(parser, in_value);
  struct identifier name = parse_identifier(parser);
  if (space >= 'A' && space <= 'Z') {
    put(parser, "::{");
    if (space == 'C')
      put(parser, "closure");
    else if (space == 'S')
      put(parser, "shim");
    else
      put_bytes(parser, &space, 1);
    if (name.length > 0) {
      put(parser, ":");
      put_bytes(parser, name.bytes, name.length);
    }
    put(parser, "#");
    put_number(parser, name.disambiguator);
    put(parser, "}");
  } else if (space >= 'a' && space <= 'z') {
    if (name.length > 0) {
      put(parser, "::");
      put_bytes(parser, name.bytes, name.length);
    }
  } else
    parser->failed = 1;
}

static void parse_path_kind(struct parser *parser, int in_value) {
  const char *tag = parser->at, *back;
  struct identifier name;
  switch (next(parser)) {
  case 'C':
    name = parse_identifier(parser);
    put_bytes(parser, name.bytes, name.length);
    break;
  case 'M':
    skip_impl_path(parser);
    put(parser, "<");
    parse_type(parser);
    put(parser, ">");
    break;
  case 'X':
    skip_impl_path(parser);
    /* fallthrough */
  case 'Y':
    put(parser, "<");
    parse_type(parser);
    put(parser, " as ");
    parse_path(parser, 0);
    put(parser, ">");
    break;
  case 'N':
    parse_nested(parser, in_value);
    break;
  case 'I':
    parse_path(parser, in_value);
    put(parser, in_value ? "::<" : "<");
    parse_arguments(parser, parse_generic_argument);
    put(parser, ">");
    break;
  case 'B':
    back = begin_backref(parser, tag);
    if (back) {
      parse_path(parser, in_value);
      parser->at = back;
    }
    break;
  default:
    parser->failed = 1;
  }
}

static void parse_path(struct parser *parser, int in_value) {
  if (!enter(parser)) return;
  parse_path_kind(parser, in_value);
  leave(parser);
}

static const char *basic_type(char tag) {
  static const char *const names[26] = {
      ['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
      ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
      ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
      ['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
      ['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
      ['z' - 'a'] = "!"};
  return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

/* binder = "G" base-62-number. Returns how many lifetimes it binds; the caller unbinds them. */
static uint64_t parse_binder(struct parser *parser) {
  enum { MOST_LIFETIMES = 1000 };
  uint64_t count = optional_base62(parser, 'G');
  if (count > MOST_LIFETIMES) parser->failed = 1;
  if (count == 0 || parser->failed) return 0;
  put(parser, "for<");
  for (uint64_t i = 0; i < count; i++) {
    if (i > 0) put(parser, ", ");
    parser->lifetimes++;
    put_lifetime(parser, 1);
  }
  put(parser, "> ");
  return count;
}

static void parse_abi(struct parser *parser) {
  if (take(parser, 'C')) {
    put(parser, "extern \"C\" ");
    return;
  }
  struct identifier abi = undisambiguated(parser);
  put(parser, "extern \"");
  for (size_t i = 0; i < abi.length; i++)
    put_bytes(parser, abi.bytes[i] == '_' ? "-" : &abi.bytes[i], 1);
  put(parser, "\" ");
}

/* fn-sig = [binder] ["U"] ["K" abi] {type} "E" type */
static void parse_function_type(struct parser *parser) {
  uint64_t bound = parse_binder(parser);
  if (take(parser, 'U')) put(parser, "unsafe ");
  if (take(parser, 'K')) parse_abi(parser);
  put(parser, "fn(");
  parse_arguments(parser, parse_type);
  put(parser, ")");
  if (!take(parser, 'u')) { /* the unit type is not written */
    put(parser, " -> ");
    parse_type(parser);
  }
  parser->lifetimes -= bound;
}

/* A trait's path whose generic arguments may go on with associated types: "<" stays open.
 * Returns whether it is. */
static int parse_open_path(struct parser *parser) {
  if (!enter(parser)) return 0;
  int open = 0;
  const char *tag = parser->at;
  if (take(parser, 'B')) {
    const char *back = begin_backref(parser, tag);
    if (back) {
      open = parse_open_path(parser);
      parser->at = back;
    }
  } else if (take(parser, 'I')) {
    parse_path(parser, 0);
    put(parser, "<");
    parse_arguments(parser, parse_generic_argument);
    open = 1;
  } else
    parse_path(parser, 0);
  leave(parser);
  return open;
}

/* dyn-trait = path {"p" undisambiguated-identifier type} */
static void parse_dyn_trait(struct parser *parser) {
  int open = parse_open_path(parser);
  while (take(parser, 'p')) {
    put(parser, open ? ", " : "<");
    open = 1;
    struct identifier name = undisambiguated(parser);
    put_bytes(parser, name.bytes, name.length);
    put(parser, " = ");
    parse_type(parser);
  }
  if (open) put(parser, ">");
}

/* "D" dyn-bounds lifetime */
static void parse_dyn(struct parser *parser) {
  put(parser, "dyn ");
  uint64_t bound = parse_binder(parser);
  for (unsigned count = 0; !parser->failed && !take(parser, 'E'); count++) {
    if (count > 0) put(parser, " + ");
    parse_dyn_trait(parser);
  }
  parser->lifetimes -= bound;
  if (!take(parser, 'L')) {
    parser->failed = 1;
    return;
  }
  uint64_t lifetime = base62(parser);
  if (lifetime != 0) {
    put(parser, " + ");
    put_lifetime(parser, lifetime);
  }
}

static void parse_reference(struct parser *parser, const char *mutability) {
  put(parser, "&");
  if (take(parser, 'L')) {
    uint64_t lifetime = base62(parser);
    if (lifetime != 0) {
      put_lifetime(parser, lifetime);
      put(parser, " ");
    }
  }
  put(parser, mutability);
  parse_type(parser);
}

static void parse_array(struct parser *parser, int sized) {
  put(parser, "[");
  parse_type(parser);
  if (sized) {
    put(parser, "; ");
    parse_const(parser);
  }
  put(parser, "]");
}

static void parse_tuple(struct parser *parser) {
  put(parser, "(");
  if (parse_arguments(parser, parse_type) == 1) put(parser, ",");
  put(parser, ")");
}

static void parse_pointer(struct parser *parser, const char *kind) {
  put(parser, kind);
  parse_type(parser);
}

static void parse_type_kind(struct parser *parser) {
  const char *tag = parser->at, *back, *basic;
  char kind = next(parser);
  switch (kind) {
  case 'A':
  case 'S':
    parse_array(parser, kind == 'A');
    break;
  case 'T':
    parse_tuple(parser);
    break;
  case 'R':
  case 'Q':
    parse_reference(parser, kind == 'Q' ? "mut " : "");
    break;
  case 'P':
  case 'O':
    parse_pointer(parser, kind == 'P' ? "*const " : "*mut ");
    break;
  case 'F':
    parse_function_type(parser);
    break;
  case 'D':
    parse_dyn(parser);
    break;
  case 'B':
    back = begin_backref(parser, tag);
    if (back) {
      parse_type(parser);
      parser->at = back;
    }
    break;
  default:
    basic = basic_type(kind);
    if (basic)
      put(parser, basic);
    else if (!parser->failed) {
      parser->at = tag;
      parse_path(parser, 0);
    }
  }
}

static void parse_type(struct parser *parser) {
  if (!enter(parser)) return;
  parse_type_kind(parser);
  leave(parser);
}

/* const-data = ["n"] {hex-digit} "_": the digits. */
static struct identifier const_digits(struct parser *parser) {
  const char *first = parser->at;
  for (;;) {
    char c = next(parser);
    if (c == '_') return (struct identifier){first, (size_t)(parser->at - 1 - first), 0};
    if (!is_digit(c) && !(c >= 'a' && c <= 'f')) {
      parser->failed = 1;
      return (struct identifier){first, 0, 0};
    }
  }
}

static uint64_t digits_value(struct identifier digits) {
  uint64_t value = 0;
  for (size_t i = 0; i < digits.length; i++) {
    char c = digits.bytes[i];
    value = value << 4 | (uint64_t)(is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  return value;
}

static void put_integer(struct parser *parser) {
  if (take(parser, 'n')) put(parser, "-");
  struct identifier digits = const_digits(parser);
  if (digits.length <= 16) {
    put_number(parser, digits_value(digits));
    return;
  }
  put(parser, "0x");
  put_bytes(parser, digits.bytes, digits.length);
}

static void put_character(struct parser *parser) {
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
  put(parser, text);
}

static void put_boolean(struct parser *parser) {
  struct identifier digits = const_digits(parser);
  if (digits.length != 1 || digits_value(digits) > 1)
    parser->failed = 1;
  else
    put(parser, digits_value(digits) ? "true" : "false");
}

static void parse_const(struct parser *parser) {
  if (!enter(parser)) return;
  const char *tag = parser->at, *back;
  char kind = next(parser);
  if (kind == 'B') {
    back = begin_backref(parser, tag);
    if (back) {
      parse_const(parser);
      parser->at = back;
    }
  } else if (kind == 'p')
    put(parser, "_");
  else if (kind == 'b')
    put_boolean(parser);
  else if (kind == 'c')
    put_character(parser);
  else if (kind != '\0' && strchr("ahijlmnostxy", kind))
    put_integer(parser);
  else
    parser->failed = 1;
  leave(parser);
}

/* symbol-name = "_R" [decimal-number] path [instantiating-crate]; a leading number would be a
 * later version of the encoding. */
static char *demangle_v0(const char *linkage) {
  const char *start = linkage + 2;
  struct parser parser = {.start = start, .at = start, .end = start + strcspn(start, ".$")};
  if (*start < 'A' || *start > 'Z') return NULL;
  parser.out = malloc(LONGEST_OUTPUT + 1);
  if (!parser.out) return NULL;
  parse_path(&parser, 1);
  if (!parser.failed && parser.at < parser.end) {
    parser.silent = 1;
    parse_path(&parser, 0);
  }
  if (parser.failed || parser.at != parser.end) {
    free(parser.out);
    return NULL;
  }
  parser.out[parser.length] = '\0';
  return parser.out;
}

/* ---- legacy ---- */

static int is_legacy_hash(const char *name, size_t length) {
  if (length != 17 || name[0] != 'h') return 0;
  return strspn(name + 1, "0123456789abcdef") >= 16;
}

/* Write one "$...$" escape. Returns the length of what was read, or 0 if it is no escape. */
static size_t put_escape(const char *text, size_t length, char **out) {
  static const struct {
    const char *code;
    char character;
  } escapes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
                 {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
    size_t bytes = strlen(escapes[i].code);
    if (bytes <= length && memcmp(text, escapes[i].code, bytes) == 0) {
      *(*out)++ = escapes[i].character;
      return bytes;
    }
  }
  if (length < 4 || text[1] != 'u') return 0;
  char *end;
  unsigned long value = strtoul(text + 2, &end, 16);
  /* Rust escapes only what assemblers do not take: ASCII; the rest stays as it is written. */
  if (end == text + 2 || *end != '$' || end >= text + length || value < ' ' || value > '~')
    return 0;
  *(*out)++ = (char)value;
  return (size_t)(end + 1 - text);
}

/* One element of a legacy path; never longer than its source. */
static void put_legacy_element(const char *text, size_t length, char **out) {
  size_t at = length > 1 && text[0] == '_' && text[1] == '$';
  while (at < length) {
    size_t escape = text[at] == '$' ? put_escape(text + at, length - at, out) : 0;
    if (escape) {
      at += escape;
    } else if (text[at] == '.' && at + 1 < length && text[at + 1] == '.') {
      *(*out)++ = ':';
      *(*out)++ = ':';
      at += 2;
    } else
      *(*out)++ = text[at++];
  }
}

/* _ZN {length element} 17h<hash> E */
static char *demangle_legacy(const char *linkage) {
  char *name = malloc(strlen(linkage) * 2 + 1), *out = name;
  if (!name) return NULL;
  const char *at = linkage + 3;
  while (is_digit(*at)) {
    char *element;
    unsigned long length = strtoul(at, &element, 10);
    if (length == 0 || length > strlen(element)) break;
    at = element + length;
    if (*at == 'E' && is_legacy_hash(element, length) && out != name &&
        (at[1] == '\0' || at[1] == '.')) {
      *out = '\0';
      return name;
    }
    if (out != name) {
      *out++ = ':';
      *out++ = ':';
    }
    put_legacy_element(element, length, &out);
  }
  free(name);
  return NULL;
}

char *demangle_rust(const char *linkage) {
  if (strncmp(linkage, "_R", 2) == 0) return demangle_v0(linkage);
  if (strncmp(linkage, "_ZN", 3) == 0) return demangle_legacy(linkage);
  return NULL;
}
