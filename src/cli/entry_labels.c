#include "cli/entry_labels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/memory.h"
#include "cli/options.h"
#include "profile/metrics.h"
#include "report/text.h"

enum { LEAST_TEXT = 12, LEAST_NAME = 24, LEAST_NAMES = 36 };

const char *entry_noun(enum compared_kind kind) {
  static const char *const nouns[ENTRY_KINDS] = {
      "function",   "call",           "call site",           "line",
      "expression", "kind of memory", "place that allocates"};
  return nouns[kind];
}

const char *entry_noun_of_many(enum compared_kind kind) {
  return kind == ENTRY_ARCS     ? "calls"
         : kind == ENTRY_SITES  ? "call sites"
         : kind == ENTRY_MEMORY ? "kinds of memory"
         : kind == ENTRY_PLACES ? "places that allocate"
                                : entry_kind_names[kind];
}

const char *entry_metric(enum compared_kind kind, const char *asked) {
  return asked || !entry_is_of_heap(kind) ? asked
                                          : heap_metric_name(HEAP_OF_MALLOC, HEAP_ALLOCATED);
}

int entry_kind_take(const char *name, enum compared_kind *kind) {
  if (entry_kind_named(name, kind)) return 0;
  fprintf(stderr, "%s: --of %s: there are", command_name(), name);
  for (int i = 0; i < ENTRY_KINDS; i++)
    fprintf(stderr, "%s %s", i + 1 == ENTRY_KINDS ? " and" : i ? "," : "", entry_kind_names[i]);
  fputc('\n', stderr);
  return -1;
}

static void forget_text(struct entry_labels *labels) {
  free(labels->file);
  free(labels->text);
  labels->file = labels->text = NULL;
}

void entry_labels_close(struct entry_labels *labels) {
  sqlite3_finalize(labels->entry);
  sqlite3_finalize(labels->source);
  forget_text(labels);
  told_names_free(&labels->names);
}

/* ---- the entry ---- */

struct entry {
  const char *name, *caller, *file, *way, *object; /* or null; until the next one is read */
  int64_t line, column, end_line, end_column;      /* 0: not known */
};

static int read_entry(struct entry_labels *labels, size_t profile, int64_t id, struct entry *entry,
                      struct error *error) {
  if (!labels->entry &&
      workspace_prepare(
          labels->workspace, &labels->entry, error,
          "SELECT name, caller_name, file, way, line, source_column, end_line,"
          " end_column, object FROM entry WHERE kind = %d AND profile = ?1 AND id = ?2",
          labels->kind) != 0)
    return -1;
  sqlite3_stmt *row = labels->entry;
  sqlite3_reset(row);
  sqlite3_bind_int64(row, 1, (int64_t)profile);
  sqlite3_bind_int64(row, 2, id);
  if (sqlite3_step(row) != SQLITE_ROW) return workspace_error(labels->workspace, error);
  *entry = (struct entry){(const char *)sqlite3_column_text(row, 0),
                          (const char *)sqlite3_column_text(row, 1),
                          (const char *)sqlite3_column_text(row, 2),
                          (const char *)sqlite3_column_text(row, 3),
                          (const char *)sqlite3_column_text(row, 8),
                          sqlite3_column_int64(row, 4),
                          sqlite3_column_int64(row, 5),
                          sqlite3_column_int64(row, 6),
                          sqlite3_column_int64(row, 7)};
  return 0;
}

/* ---- its text ---- */

static int read_text(struct entry_labels *labels, size_t profile, const char *file,
                     struct error *error) {
  if (labels->file && labels->profile == (int64_t)profile && strcmp(labels->file, file) == 0)
    return 0;
  forget_text(labels);
  sqlite3_finalize(labels->source);
  labels->source = NULL;
  if (workspace_prepare(labels->workspace, &labels->source, error,
                        "SELECT text FROM p%d.sources WHERE path = ?1 LIMIT 1", (int)profile) != 0)
    return -1;
  sqlite3_bind_text(labels->source, 1, file, -1, SQLITE_STATIC);
  int step = sqlite3_step(labels->source);
  const char *text =
      step == SQLITE_ROW ? (const char *)sqlite3_column_text(labels->source, 0) : NULL;
  labels->profile = (int64_t)profile;
  labels->file = memory_text(file);
  labels->text = text ? memory_text(text) : NULL;
  sqlite3_reset(labels->source);
  return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : workspace_error(labels->workspace, error);
}

/* The line's text from the entry's column on, to its end if that is on this line. */
static char *part_of_line(const char *text, const struct entry *entry) {
  for (int64_t line = 1; line < entry->line && *text; line++) {
    text = strchrnul(text, '\n');
    text += *text == '\n';
  }
  const char *end = strchrnul(text, '\n');
  int64_t length = end - text, from = entry->column > 0 ? entry->column - 1 : 0;
  if (entry->end_line == entry->line && entry->end_column > from && entry->end_column - 1 < length)
    length = entry->end_column - 1;
  if (from > length) from = length;
  while (from < length && (text[from] == ' ' || text[from] == '\t'))
    from++;
  return memory_text_part(text + from, length - from);
}

static bool has_text(enum compared_kind kind) {
  return kind == ENTRY_LINES || kind == ENTRY_EXPRESSIONS || kind == ENTRY_PLACES;
}

/* The text of a line, an expression or a place; null: it is not known. To be freed by the caller.
 */
static int text_of(struct entry_labels *labels, size_t profile, const struct entry *entry,
                   char **text, struct error *error) {
  *text = NULL;
  if (!has_text(labels->kind) || !entry->file || entry->line < 1) return 0;
  if (read_text(labels, profile, entry->file, error) != 0) return -1;
  if (labels->text) *text = part_of_line(labels->text, entry);
  return 0;
}

/* ---- in words ---- */

size_t entry_label_least(enum compared_kind kind) {
  return kind == ENTRY_FUNCTIONS ? LEAST_NAME : LEAST_NAMES;
}

int entry_labels_announce(struct entry_labels *labels, size_t profile, int64_t id,
                          struct error *error) {
  struct entry entry;
  if (read_entry(labels, profile, id, &entry, error) != 0) return -1;
  if (entry.name) told_names_add(&labels->names, entry.name);
  if (entry.caller) told_names_add(&labels->names, entry.caller);
  return 0;
}

void entry_labels_announced(struct entry_labels *labels) {
  told_names_end(&labels->names);
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* What is left of the room, where there is an end to it. */
static size_t left_of(size_t room, size_t used) {
  if (!room) return 0;
  return room > used + LEAST_TEXT ? room - used : LEAST_TEXT;
}

/* Returns how many columns it took. */
static size_t print_place(const struct entry *entry, FILE *out) {
  const char *file = base_name(entry->file);
  char where[48] = "";
  if (!file) file = "?";
  if (entry->file && entry->line > 0)
    snprintf(where, sizeof where, ":%lld", (long long)entry->line);
  if (entry->file && entry->column > 0)
    snprintf(where + strlen(where), sizeof where - strlen(where), ":%lld",
             (long long)entry->column);
  text_name(out, file, 0);
  fputs(where, out);
  return strlen(file) + strlen(where);
}

/* Returns how many columns it took. */
static size_t print_function(const struct entry_labels *labels, const char *name, size_t room,
                             FILE *out) {
  const struct told_name *told = name ? told_names_find(&labels->names, name) : NULL;
  if (!name) name = "?";
  text_function(out, told ? told->name : name, told ? told->telling : (struct name_part){0}, room);
  return room ? least(strlen(name), room) : strlen(name);
}

/* " (FILE:LINE)", or the object, of a function whose name others have, too. */
static void name_origin(const struct entry_labels *labels, const struct entry *entry, char *text,
                        size_t bytes) {
  const struct told_name *told = entry->name ? told_names_find(&labels->names, entry->name) : NULL;
  const char *file = base_name(entry->file), *object = base_name(entry->object);
  text[0] = '\0';
  if (labels->kind != ENTRY_FUNCTIONS || !told || !told->shared) return;
  if (file && entry->line > 0 && entry->column > 0)
    snprintf(text, bytes, " (%s:%lld:%lld)", file, (long long)entry->line,
             (long long)entry->column);
  else if (file && entry->line > 0)
    snprintf(text, bytes, " (%s:%lld)", file, (long long)entry->line);
  else if (file || object)
    snprintf(text, bytes, " (%s)", file ? file : object);
}

/* "name" or "caller -> name", in at most `room` columns (0: no limit); returns how many it took. */
static size_t print_names(const struct entry_labels *labels, const struct entry *entry, size_t room,
                          FILE *out) {
  static const char arrow[] = " -> ";
  if (!entry->caller) {
    char origin[64];
    name_origin(labels, entry, origin, sizeof origin);
    size_t name = print_function(labels, entry->name, left_of(room, strlen(origin)), out);
    text_name(out, origin, 0);
    return name + strlen(origin);
  }
  size_t half = left_of(room, strlen(arrow)) / 2, own = entry->name ? strlen(entry->name) : 1;
  size_t first = room && own < half ? left_of(room, strlen(arrow) + own) : half;
  size_t used = print_function(labels, entry->caller, first, out) + strlen(arrow);
  fputs(arrow, out);
  return used + print_function(labels, entry->name, left_of(room, used), out);
}

int entry_label_print(struct entry_labels *labels, size_t profile, int64_t id, FILE *out,
                      struct error *error) {
  struct entry entry;
  size_t room = labels->room;
  if (read_entry(labels, profile, id, &entry, error) != 0) return -1;
  if (labels->kind == ENTRY_SITES || has_text(labels->kind)) {
    room = left_of(room, print_place(&entry, out) + 2);
    fputs("  ", out);
  }
  char *text;
  if (text_of(labels, profile, &entry, &text, error) != 0) return -1;
  bool shown = text && *text;
  size_t used = print_names(labels, &entry, shown && room > 2 * LEAST_TEXT ? room / 2 : room, out);
  if (labels->kind == ENTRY_EXPRESSIONS && entry.way && strcmp(entry.way, "code") != 0) {
    fprintf(out, "  (%s)", entry.way);
    used += strlen(entry.way) + 4;
  }
  if (shown && (!room || room >= used + 2 + LEAST_TEXT)) {
    fputs("  ", out);
    text_start(out, text, room ? room - used - 2 : 0);
  }
  free(text);
  return 0;
}

/* ---- as JSON ---- */

static void json_place(struct json *json, const char *key, int64_t value) {
  if (value > 0)
    json_integer(json, key, value);
  else
    json_null(json, key);
}

int entry_label_json(struct entry_labels *labels, size_t profile, int64_t id, struct json *json,
                     struct error *error) {
  struct entry entry;
  if (read_entry(labels, profile, id, &entry, error) != 0) return -1;
  json_text(json, "name", entry.name);
  if (labels->kind == ENTRY_ARCS || labels->kind == ENTRY_SITES)
    json_text(json, "caller_name", entry.caller);
  json_text(json, "file", entry.file);
  json_place(json, "line", entry.line);
  if (labels->kind == ENTRY_EXPRESSIONS || entry.column) json_place(json, "column", entry.column);
  if (labels->kind == ENTRY_EXPRESSIONS) {
    json_place(json, "end_line", entry.end_line);
    json_place(json, "end_column", entry.end_column);
    json_text(json, "way", entry.way);
  }
  char *text;
  if (text_of(labels, profile, &entry, &text, error) != 0) return -1;
  if (has_text(labels->kind)) json_text(json, "text", text);
  if (labels->kind == ENTRY_MEMORY) json_text(json, "basis", entry.way);
  free(text);
  return 0;
}
