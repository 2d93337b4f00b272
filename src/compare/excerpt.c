#include "compare/excerpt.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

enum { EXCERPT_BYTES = 160 };

struct text {
  const char *at, *end;
};

/* Where the line begins; null: there is none. */
static const char *line_of(struct text text, sqlite3_int64 line) {
  const char *at = text.at;
  for (sqlite3_int64 i = 1; at && i < line; i++) {
    at = memchr(at, '\n', (size_t)(text.end - at));
    if (at) at++;
  }
  return at;
}

static const char *place_of(struct text text, sqlite3_int64 line, sqlite3_int64 column) {
  const char *at = line > 0 && column > 0 ? line_of(text, line) : NULL;
  return at && column - 1 <= text.end - at ? at + column - 1 : NULL;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(const char *from, const char *to) {
  while (from < to && ((*from | 32) >= 'a' && (*from | 32) <= 'z'))
    from++;
  return from == to;
}

/* Where compilers place a condition at its bracket, or at the word before that, it ends with the
 * bracket. */
static const char *closed(const char *from, const char *to, const char *end) {
  const char *most = end - from > EXCERPT_BYTES ? from + EXCERPT_BYTES : end;
  int depth = 0;
  bool word = is_word(from, to);
  for (const char *at = from; at < most && (at < to || depth > 0 || word); at++) {
    if (at >= to && word && depth == 0 && *at != '(' && !is_blank(*at)) return to;
    depth += (*at == '(') - (*at == ')');
    word &= *at != '(';
    if (at >= to && depth == 0 && !word && *at == ')') return at + 1;
  }
  return to;
}

/* Of a text that ends anywhere, with a zero behind: without the character that is cut, if one is.
 */
static size_t whole_characters(const char *out, size_t length) {
  size_t last = length;
  while (last > 0 && ((unsigned char)out[last - 1] & 0xc0) == 0x80)
    last--;
  if (last == 0 || (unsigned char)out[last - 1] < 0x80) return length;
  return utf8_bytes(out + last - 1) == length - last + 1 ? length : last - 1;
}

static void excerpt(sqlite3_context *context, int count, sqlite3_value **values) {
  char out[EXCERPT_BYTES + 4];
  size_t length = 0;
  const char *begin = (const char *)sqlite3_value_text(values[0]);
  if (!begin || count != 5) return;
  struct text text = {begin, begin + sqlite3_value_bytes(values[0])};
  const char *from = place_of(text, sqlite3_value_int64(values[1]), sqlite3_value_int64(values[2]));
  const char *to = place_of(text, sqlite3_value_int64(values[3]), sqlite3_value_int64(values[4]));
  if (!from || !to || to <= from) return;
  to = closed(from, to, text.end);
  for (; from < to && length < EXCERPT_BYTES; from++)
    if (!is_blank(*from))
      out[length++] = *from;
    else if (length && out[length - 1] != ' ')
      out[length++] = ' ';
  if (from < to) {
    out[length] = '\0';
    length = whole_characters(out, length);
    memcpy(out + length, "...", 3);
    length += 3;
  }
  sqlite3_result_text(context, out, (int)length, SQLITE_TRANSIENT);
}

int excerpt_add(sqlite3 *database) {
  int shape = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  return sqlite3_create_function(database, "excerpt", 5, shape, NULL, excerpt, NULL, NULL);
}
