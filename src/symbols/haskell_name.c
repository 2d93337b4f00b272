#include "symbols/haskell_name.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "base/memory.h"

enum { MOST_PARTS = 6, LONGEST_NAME = 16384 };

/* Parts between underscores, which the encoding keeps out of them. */
struct part {
  const char *start;
  size_t length;
};

struct parts {
  struct part list[MOST_PARTS];
  size_t count, package; /* package: 1 where the first one is */
  bool is_constructor;
};

/* ---- the z-encoding ---- */

struct text {
  char *bytes;
  size_t length;
};

static void put(struct text *text, char byte) {
  ARRAY_GROW(text->bytes, text->length);
  text->bytes[text->length++] = byte;
}

static void put_all(struct text *text, const char *bytes) {
  for (; *bytes; bytes++)
    put(text, *bytes);
}

static void put_utf8(struct text *text, uint32_t code) {
  if (code < 0x80) {
    put(text, (char)code);
    return;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned first[] = {0, 0xc0, 0xe0, 0xf0};
  put(text, (char)(first[more] | code >> (6 * more)));
  while (more--)
    put(text, (char)(0x80 | (code >> (6 * more) & 0x3f)));
}

/* "ze4U" would begin with a letter, so it is "z0e4U". Returns the length behind the z, or 0. */
static size_t take_unicode(struct text *text, const char *digits, size_t length) {
  uint32_t code = 0;
  size_t i = 0;
  if (!isdigit((unsigned char)digits[0])) return 0;
  for (; i < length && isxdigit((unsigned char)digits[i]) && code < 0x110000; i++)
    code = 16 * code + (uint32_t)(isdigit((unsigned char)digits[i])
                                      ? digits[i] - '0'
                                      : tolower((unsigned char)digits[i]) - 'a' + 10);
  bool is_valid = code && code < 0x110000 && (code < 0xd800 || code > 0xdfff);
  if (!i || i == length || digits[i] != 'U' || !is_valid) return 0;
  put_utf8(text, code);
  return i + 1;
}

/* "2T" is "(,)", "2H" "(#,#)". Returns the length behind the Z, or 0. */
static size_t take_tuple(struct text *text, const char *digits, size_t length) {
  unsigned size = 0;
  size_t i = 0;
  for (; i < length && isdigit((unsigned char)digits[i]) && size < 100; i++)
    size = 10 * size + (unsigned)(digits[i] - '0');
  if (!i || i == length || (digits[i] != 'T' && digits[i] != 'H')) return 0;
  bool is_unboxed = digits[i] == 'H';
  put_all(text, is_unboxed ? "(#" : "(");
  if (is_unboxed && size == 1) put(text, ' ');
  for (unsigned k = 1; k < size; k++)
    put(text, ',');
  put_all(text, is_unboxed ? "#)" : ")");
  return i + 1;
}

/* What follows a z or Z. Returns its length, or 0: nothing is encoded so. */
static size_t take_code(struct text *text, char escape, const char *code, size_t length) {
  static const char lower[] = "abcdeghilmnpqrstuvz", meant[] = "&|^$=>#.<-!+'\\/*_%z";
  static const char upper[] = "LRMNCZ", meant_by_upper[] = "()[]:Z";
  const char *from = escape == 'z' ? lower : upper, *to = escape == 'z' ? meant : meant_by_upper;
  if (!length) return 0;
  const char *at = code[0] ? strchr(from, code[0]) : NULL;
  if (at) {
    put(text, to[at - from]);
    return 1;
  }
  return escape == 'z' ? take_unicode(text, code, length) : take_tuple(text, code, length);
}

static bool decode(struct text *text, struct part part) {
  for (size_t i = 0; i < part.length;) {
    char byte = part.start[i++];
    if (byte != 'z' && byte != 'Z') {
      put(text, byte);
      continue;
    }
    size_t length = take_code(text, byte, part.start + i, part.length - i);
    if (!length) return false;
    i += length;
  }
  return true;
}

/* ---- symbols ---- */

static bool part_is(struct part part, const char *word) {
  return part.length == strlen(word) && memcmp(part.start, word, part.length) == 0;
}

static bool is_word_of(struct part part, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (part_is(part, words[i])) return true;
  return false;
}

/* "Main", or ":Main". */
static bool is_module(struct part part) {
  return isupper((unsigned char)part.start[0]);
}

/* [package_]module_name[_unique]_kind; of constructors module_name_con_kind. */
static bool take_parts(const char *linkage, struct parts *parts) {
  static const char *const kinds[] = {"info", "entry", "fast", "slow", "ret"};
  *parts = (struct parts){.count = 0};
  if (strlen(linkage) > LONGEST_NAME) return false;
  for (const char *at = linkage;; at++) {
    size_t length = strcspn(at, "_");
    if (!length || parts->count == MOST_PARTS) return false;
    parts->list[parts->count++] = (struct part){at, length};
    at += length;
    if (!*at) break;
  }
  size_t last = parts->count - 1;
  if (last < 2 || !is_word_of(parts->list[last], kinds, sizeof kinds / sizeof *kinds)) return false;
  parts->is_constructor = last > 2 && (part_is(parts->list[last - 1], "con") ||
                                       part_is(parts->list[last - 1], "static"));
  parts->count = last - parts->is_constructor;
  parts->package = !is_module(parts->list[0]);
  return parts->count >= parts->package + 2 && parts->count <= parts->package + 3 &&
         is_module(parts->list[parts->package]);
}

char *haskell_name(const char *linkage) {
  struct parts parts;
  struct text text = {NULL, 0};
  if (!take_parts(linkage, &parts)) return NULL;
  bool is_decoded = decode(&text, parts.list[parts.package]);
  put(&text, '.');
  is_decoded = is_decoded && decode(&text, parts.list[parts.package + 1]);
  if (parts.count > parts.package + 2) { /* which of several local ones */
    put(&text, '_');
    is_decoded = is_decoded && decode(&text, parts.list[parts.package + 2]);
  }
  if (parts.is_constructor) put_all(&text, " (constructor)");
  put(&text, '\0');
  if (is_decoded) return text.bytes;
  free(text.bytes);
  return NULL;
}

bool haskell_is_of_program(const char *linkage) {
  static const char inplace[] = "inplace";
  struct parts parts;
  if (!take_parts(linkage, &parts)) return false;
  if (!parts.package) return !part_is(parts.list[0], "ZCMain");
  const struct part *package = &parts.list[0];
  size_t length = strlen(inplace);
  return package->length > length &&
         memcmp(package->start + package->length - length, inplace, length) == 0;
}

size_t haskell_module_length(const char *linkage) {
  struct parts parts;
  if (!take_parts(linkage, &parts)) return 0;
  const struct part *module = &parts.list[parts.package];
  return (size_t)(module->start + module->length - linkage);
}

bool haskell_runs(const char *linkage) {
  struct parts parts;
  return begins(linkage, "stg_") || take_parts(linkage, &parts);
}
