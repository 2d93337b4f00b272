/* Rust's two manglings: v0 (rust_parser.h), and the older Itanium form of nested names with an
 * escaped path and a hash. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/demangle.h"
#include "symbols/rust_parser.h"

/* symbol-name = "_R" [decimal-number] path [instantiating-crate]; a leading number would be a
 * later version of the encoding. */
static char *demangle_v0(const char *linkage) {
  const char *start = linkage + 2;
  struct rust_parser parser = {.start = start, .at = start, .end = start + strcspn(start, ".$")};
  if (*start < 'A' || *start > 'Z') return NULL;
  parser.out = memory_resized(NULL, RUST_LONGEST_OUTPUT + 1, 1);
  rust_path(&parser, 1);
  if (!parser.failed && parser.at < parser.end) {
    parser.silent = 1;
    rust_path(&parser, 0);
  }
  if (parser.failed || parser.at != parser.end) {
    free(parser.out);
    return NULL;
  }
  parser.out[parser.length] = '\0';
  return parser.out;
}

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
  char *name = memory_resized(NULL, strlen(linkage) * 2 + 1, 1), *out = name;
  const char *at = linkage + 3;
  while (rust_is_digit(*at)) {
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
