#include "symbols/rust_parser.h"

void rust_put_lifetime(struct rust_parser *parser, uint64_t index) {
  if (index == 0) {
    rust_put(parser, "'_");
    return;
  }
  if (index > parser->lifetimes) {
    parser->failed = 1;
    return;
  }
  uint64_t depth = parser->lifetimes - index;
  if (depth < 26) {
    char name[] = {'\'', (char)('a' + depth), '\0'};
    rust_put(parser, name);
  } else {
    rust_put(parser, "'_");
    rust_put_number(parser, depth);
  }
}

void rust_generic_argument(struct rust_parser *parser) {
  if (rust_take(parser, 'L'))
    rust_put_lifetime(parser, rust_base62(parser));
  else if (rust_take(parser, 'K'))
    rust_const(parser);
  else
    rust_type(parser);
}

unsigned rust_arguments(struct rust_parser *parser, void (*rule)(struct rust_parser *)) {
  unsigned count = 0;
  while (!parser->failed && !rust_take(parser, 'E')) {
    if (count++ > 0) rust_put(parser, ", ");
    rule(parser);
  }
  return count;
}

/* impl-path = [disambiguator] path: where the impl stands, which is not shown. */
static void skip_impl_path(struct rust_parser *parser) {
  rust_optional_base62(parser, 's');
  parser->silent++;
  rust_path(parser, 0);
  parser->silent--;
}

static void parse_nested(struct rust_parser *parser, int in_value) {
  char space = rust_next(parser);
  rust_path(parser, in_value);
  struct rust_identifier name = rust_identifier(parser);
  if (space >= 'A' && space <= 'Z') {
    rust_put(parser, "::{");
    if (space == 'C')
      rust_put(parser, "closure");
    else if (space == 'S')
      rust_put(parser, "shim");
    else
      rust_put_bytes(parser, &space, 1);
    if (name.length > 0) {
      rust_put(parser, ":");
      rust_put_bytes(parser, name.bytes, name.length);
    }
    rust_put(parser, "#");
    rust_put_number(parser, name.disambiguator);
    rust_put(parser, "}");
  } else if (space >= 'a' && space <= 'z') {
    if (name.length > 0) {
      rust_put(parser, "::");
      rust_put_bytes(parser, name.bytes, name.length);
    }
  } else
    parser->failed = 1;
}

static void parse_path_kind(struct rust_parser *parser, int in_value) {
  const char *tag = parser->at, *back;
  struct rust_identifier name;
  switch (rust_next(parser)) {
  case 'C':
    name = rust_identifier(parser);
    rust_put_bytes(parser, name.bytes, name.length);
    break;
  case 'M':
    skip_impl_path(parser);
    rust_put(parser, "<");
    rust_type(parser);
    rust_put(parser, ">");
    break;
  case 'X':
    skip_impl_path(parser);
    /* fallthrough */
  case 'Y':
    rust_put(parser, "<");
    rust_type(parser);
    rust_put(parser, " as ");
    rust_path(parser, 0);
    rust_put(parser, ">");
    break;
  case 'N':
    parse_nested(parser, in_value);
    break;
  case 'I':
    rust_path(parser, in_value);
    rust_put(parser, in_value ? "::<" : "<");
    rust_arguments(parser, rust_generic_argument);
    rust_put(parser, ">");
    break;
  case 'B':
    back = rust_begin_backref(parser, tag);
    if (back) {
      rust_path(parser, in_value);
      parser->at = back;
    }
    break;
  default:
    parser->failed = 1;
  }
}

void rust_path(struct rust_parser *parser, int in_value) {
  if (!rust_enter(parser)) return;
  parse_path_kind(parser, in_value);
  rust_leave(parser);
}
