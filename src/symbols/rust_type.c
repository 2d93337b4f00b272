#include "symbols/rust_parser.h"

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
static uint64_t parse_binder(struct rust_parser *parser) {
  enum { MOST_LIFETIMES = 1000 };
  uint64_t count = rust_optional_base62(parser, 'G');
  if (count > MOST_LIFETIMES) parser->failed = 1;
  if (count == 0 || parser->failed) return 0;
  rust_put(parser, "for<");
  for (uint64_t i = 0; i < count; i++) {
    if (i > 0) rust_put(parser, ", ");
    parser->lifetimes++;
    rust_put_lifetime(parser, 1);
  }
  rust_put(parser, "> ");
  return count;
}

static void parse_abi(struct rust_parser *parser) {
  if (rust_take(parser, 'C')) {
    rust_put(parser, "extern \"C\" ");
    return;
  }
  struct rust_identifier abi = rust_plain_identifier(parser);
  rust_put(parser, "extern \"");
  for (size_t i = 0; i < abi.length; i++)
    rust_put_bytes(parser, abi.bytes[i] == '_' ? "-" : &abi.bytes[i], 1);
  rust_put(parser, "\" ");
}

/* fn-sig = [binder] ["U"] ["K" abi] {type} "E" type */
static void parse_function_type(struct rust_parser *parser) {
  uint64_t bound = parse_binder(parser);
  if (rust_take(parser, 'U')) rust_put(parser, "unsafe ");
  if (rust_take(parser, 'K')) parse_abi(parser);
  rust_put(parser, "fn(");
  rust_arguments(parser, rust_type);
  rust_put(parser, ")");
  if (!rust_take(parser, 'u')) { /* the unit type is not written */
    rust_put(parser, " -> ");
    rust_type(parser);
  }
  parser->lifetimes -= bound;
}

/* A trait's path whose generic arguments may go on with associated types: "<" stays open.
 * Returns whether it is. */
static int parse_open_path(struct rust_parser *parser) {
  if (!rust_enter(parser)) return 0;
  int open = 0;
  const char *tag = parser->at;
  if (rust_take(parser, 'B')) {
    const char *back = rust_begin_backref(parser, tag);
    if (back) {
      open = parse_open_path(parser);
      parser->at = back;
    }
  } else if (rust_take(parser, 'I')) {
    rust_path(parser, 0);
    rust_put(parser, "<");
    rust_arguments(parser, rust_generic_argument);
    open = 1;
  } else
    rust_path(parser, 0);
  rust_leave(parser);
  return open;
}

/* dyn-trait = path {"p" undisambiguated-identifier type} */
static void parse_dyn_trait(struct rust_parser *parser) {
  int open = parse_open_path(parser);
  while (rust_take(parser, 'p')) {
    rust_put(parser, open ? ", " : "<");
    open = 1;
    struct rust_identifier name = rust_plain_identifier(parser);
    rust_put_bytes(parser, name.bytes, name.length);
    rust_put(parser, " = ");
    rust_type(parser);
  }
  if (open) rust_put(parser, ">");
}

/* "D" dyn-bounds lifetime */
static void parse_dyn(struct rust_parser *parser) {
  rust_put(parser, "dyn ");
  uint64_t bound = parse_binder(parser);
  for (unsigned count = 0; !parser->failed && !rust_take(parser, 'E'); count++) {
    if (count > 0) rust_put(parser, " + ");
    parse_dyn_trait(parser);
  }
  parser->lifetimes -= bound;
  if (!rust_take(parser, 'L')) {
    parser->failed = 1;
    return;
  }
  uint64_t lifetime = rust_base62(parser);
  if (lifetime != 0) {
    rust_put(parser, " + ");
    rust_put_lifetime(parser, lifetime);
  }
}

static void parse_reference(struct rust_parser *parser, const char *mutability) {
  rust_put(parser, "&");
  if (rust_take(parser, 'L')) {
    uint64_t lifetime = rust_base62(parser);
    if (lifetime != 0) {
      rust_put_lifetime(parser, lifetime);
      rust_put(parser, " ");
    }
  }
  rust_put(parser, mutability);
  rust_type(parser);
}

static void parse_array(struct rust_parser *parser, int sized) {
  rust_put(parser, "[");
  rust_type(parser);
  if (sized) {
    rust_put(parser, "; ");
    rust_const(parser);
  }
  rust_put(parser, "]");
}

static void parse_tuple(struct rust_parser *parser) {
  rust_put(parser, "(");
  if (rust_arguments(parser, rust_type) == 1) rust_put(parser, ",");
  rust_put(parser, ")");
}

static void parse_pointer(struct rust_parser *parser, const char *kind) {
  rust_put(parser, kind);
  rust_type(parser);
}

static void parse_type_kind(struct rust_parser *parser) {
  const char *tag = parser->at, *back, *basic;
  char kind = rust_next(parser);
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
    back = rust_begin_backref(parser, tag);
    if (back) {
      rust_type(parser);
      parser->at = back;
    }
    break;
  default:
    basic = basic_type(kind);
    if (basic)
      rust_put(parser, basic);
    else if (!parser->failed) {
      parser->at = tag;
      rust_path(parser, 0);
    }
  }
}

void rust_type(struct rust_parser *parser) {
  if (!rust_enter(parser)) return;
  parse_type_kind(parser);
  rust_leave(parser);
}
