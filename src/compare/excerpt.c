#include "compare/excerpt.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "base/utf8.h"

enum { EXCERPT_BYTES = 160, KEPT_BYTES = 64 << 20 };

/* A source text, and where its lines begin. */
struct text {
  int profile;
  char *file;
  const char *at, *end; /* null: the profile does not keep it */
  uint32_t *lines;
  size_t line_count;
};

/* Texts that were asked for: many rows are of few files. */
struct texts {
  struct text *list;
  size_t count, bytes;
  struct hash_index index;
};

/* ---- texts ---- */

static void forget(struct texts *texts) {
  for (size_t i = 0; i < texts->count; i++) {
    free(texts->list[i].file);
    free((char *)texts->list[i].at);
    free(texts->list[i].lines);
  }
  free(texts->list);
  hash_index_free(&texts->index);
  *texts = (struct texts){0};
}

static void free_texts(void *texts) {
  forget(texts);
  free(texts);
}

static int is_of(const void *list, uint32_t index, const void *key) {
  const struct text *text = (const struct text *)list + index, *asked = key;
  return text->profile == asked->profile && strcmp(text->file, asked->file) == 0;
}

static void find_lines(struct text *text) {
  size_t room = 1;
  for (const char *at = text->at; at < text->end; at++)
    room += *at == '\n';
  text->lines = memory_resized(NULL, room, sizeof *text->lines);
  for (const char *at = text->at; at; at = memchr(at, '\n', (size_t)(text->end - at))) {
    at += text->line_count > 0;
    text->lines[text->line_count++] = (uint32_t)(at - text->at);
  }
}

static void read_text(sqlite3 *database, struct text *text) {
  sqlite3_stmt *row = NULL;
  char *sql = sqlite3_mprintf("SELECT text FROM p%d.sources WHERE path = ?1", text->profile);
  if (sql && sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK &&
      sqlite3_bind_text(row, 1, text->file, -1, SQLITE_STATIC) == SQLITE_OK &&
      sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0)) {
    text->at = memory_text((const char *)sqlite3_column_text(row, 0));
    text->end = text->at + strlen(text->at);
    find_lines(text);
  }
  sqlite3_finalize(row);
  sqlite3_free(sql);
}

static const struct text *text_of(struct texts *texts, sqlite3 *database, int profile,
                                  const char *file) {
  struct text asked = {.profile = profile, .file = (char *)file};
  uint64_t hash = hash_mix(hash_text(file) + (uint64_t)profile);
  uint32_t known = hash_index_find(&texts->index, hash, is_of, texts->list, &asked);
  if (known != HASH_INDEX_NONE) return &texts->list[known];
  if (texts->bytes > KEPT_BYTES) forget(texts);
  ARRAY_GROW(texts->list, texts->count);
  struct text *text = &texts->list[texts->count];
  *text = (struct text){.profile = profile, .file = memory_text(file)};
  read_text(database, text);
  hash_index_add(&texts->index, hash, (uint32_t)texts->count++);
  texts->bytes += (size_t)(text->end - text->at) + text->line_count * sizeof *text->lines;
  return text;
}

/* ---- places in them ---- */

/* Null: there is none. */
static const char *place_of(const struct text *text, sqlite3_int64 line, sqlite3_int64 column) {
  if (line < 1 || line > (sqlite3_int64)text->line_count || column < 1) return NULL;
  const char *at = text->at + text->lines[line - 1];
  return column - 1 <= text->end - at ? at + column - 1 : NULL;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(const char *from, const char *to) {
  while (from < to && ((*from | 32) >= 'a' && (*from | 32) <= 'z'))
    from++;
  return from == to;
}

/* Hosts tell where expressions end. */
static bool is_of_host(const char *file) {
  static const char *const suffixes[] = {".ss", ".scm", ".sls", ".sps", ".sld", ".hs"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (strlen(file) > strlen(suffixes[i]) &&
        strcmp(file + strlen(file) - strlen(suffixes[i]), suffixes[i]) == 0)
      return true;
  return false;
}

/* Where compilers place a condition at its bracket, or at the word before that, it ends with the
 * bracket. */
static const char *closed(const char *from, const char *to, const char *end) {
  const char *most = end - from > EXCERPT_BYTES ? from + EXCERPT_BYTES : end;
  int depth = 0;
  bool word = is_word(from, to);
  for (const char *at = from; at < most && (at < to || depth > 0 || word); at++) {
    if (at >= to && word && depth == 0 && *at != '(' && !is_blank(*at)) return to;
    depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    word &= *at != '(';
    if (at >= to && depth == 0 && !word && (*at == ')' || *at == ']')) return at + 1;
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

/* In one line; what is cut ends in "...". */
static size_t write_range(const char *from, const char *to, char out[EXCERPT_BYTES + 4]) {
  size_t length = 0;
  for (; from < to && length < EXCERPT_BYTES; from++)
    if (!is_blank(*from))
      out[length++] = *from;
    else if (length && out[length - 1] != ' ')
      out[length++] = ' ';
  if (from == to) return length;
  out[length] = '\0';
  length = whole_characters(out, length);
  memcpy(out + length, "...", 3);
  return length + 3;
}

/* As it stands there, with its columns. */
static size_t write_line(const struct text *text, const char *from, char out[EXCERPT_BYTES + 4]) {
  const char *to = memchr(from, '\n', (size_t)(text->end - from));
  if (!to) to = text->end;
  while (to > from && is_blank(to[-1]))
    to--;
  size_t length = (size_t)(to - from);
  if (length <= EXCERPT_BYTES) return memcpy(out, from, length), length;
  memcpy(out, from, EXCERPT_BYTES);
  out[EXCERPT_BYTES] = '\0';
  length = whole_characters(out, EXCERPT_BYTES);
  memcpy(out + length, "...", 3);
  return length + 3;
}

static void excerpt(sqlite3_context *context, int count, sqlite3_value **values) {
  char out[EXCERPT_BYTES + 4];
  const char *file = (const char *)sqlite3_value_text(values[1]);
  if (!file || count != 6) return;
  const struct text *text = text_of(sqlite3_user_data(context), sqlite3_context_db_handle(context),
                                    sqlite3_value_int(values[0]), file);
  bool ranged = sqlite3_value_type(values[4]) != SQLITE_NULL;
  sqlite3_int64 line = sqlite3_value_int64(values[2]);
  const char *from = place_of(text, line, ranged ? sqlite3_value_int64(values[3]) : 1), *to = from;
  if (from && ranged)
    to = place_of(text, sqlite3_value_int64(values[4]), sqlite3_value_int64(values[5]));
  if (!from || !to || (ranged && to <= from)) return;
  if (ranged && !is_of_host(file)) to = closed(from, to, text->end);
  size_t length = ranged ? write_range(from, to, out) : write_line(text, from, out);
  if (length) sqlite3_result_text(context, out, (int)length, SQLITE_TRANSIENT);
}

int excerpt_add(sqlite3 *database) {
  int shape = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  return sqlite3_create_function_v2(database, "excerpt", 6, shape,
                                    memory_zeroed(1, sizeof(struct texts)), excerpt, NULL, NULL,
                                    free_texts);
}
