#include "compare/match_keys.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base_name.h"
#include "base/memory.h"
#include "compare/ids.h"

/* ---- numbers that both profiles share ---- */

struct numbers {
  int64_t *ids;
  uint32_t *of; /* from 1 on */
  size_t count;
};

static void numbers_add(struct numbers *numbers, int64_t id, uint32_t number) {
  ARRAY_GROW(numbers->ids, numbers->count);
  ARRAY_GROW(numbers->of, numbers->count);
  numbers->ids[numbers->count] = id;
  numbers->of[numbers->count++] = number;
}

/* Reads the statement's rows: ids in ascending order, and their numbers. */
static int numbers_read(struct workspace *workspace, sqlite3_stmt *rows, struct numbers *numbers,
                        struct error *error) {
  int step;
  while ((step = sqlite3_step(rows)) == SQLITE_ROW)
    numbers_add(numbers, sqlite3_column_int64(rows, 0), (uint32_t)sqlite3_column_int64(rows, 1));
  return step == SQLITE_DONE ? 0 : workspace_error(workspace, error);
}

static int number_functions(struct workspace *workspace, size_t first, size_t second, bool of_b,
                            struct numbers *numbers, struct error *error) {
  sqlite3_stmt *rows = NULL;
  const char *side = of_b ? "b" : "a";
  if (workspace_prepare(workspace, &rows, error,
                        "SELECT %s, rowid FROM pair WHERE kind = 0 AND first = %d AND second = %d"
                        " AND %s IS NOT NULL ORDER BY 1",
                        side, (int)first, (int)second, side) != 0)
    return -1;
  int result = numbers_read(workspace, rows, numbers, error);
  sqlite3_finalize(rows);
  return result;
}

static int read_numbers(struct workspace *workspace, const char *sql, struct numbers *numbers,
                        struct error *error) {
  sqlite3_stmt *rows = NULL;
  if (workspace_prepare(workspace, &rows, error, "%s", sql) != 0) return -1;
  int result = numbers_read(workspace, rows, numbers, error);
  sqlite3_finalize(rows);
  return result;
}

/* Files by the last part of their path. */
static int number_files(struct workspace *workspace, size_t profile, struct numbers *numbers,
                        struct error *error) {
  char sql[256];
  snprintf(sql, sizeof sql,
           "SELECT f.id, n.number FROM p%d.raw_files f JOIN file_name n"
           " ON n.name = base_name(f.path) ORDER BY 1",
           (int)profile);
  if (workspace_run(workspace, error,
                    "CREATE TABLE IF NOT EXISTS file_name(number INTEGER PRIMARY KEY,"
                    " name TEXT UNIQUE);"
                    "INSERT OR IGNORE INTO file_name(name) SELECT base_name(path)"
                    " FROM p%d.raw_files;",
                    (int)profile) != 0)
    return -1;
  return read_numbers(workspace, sql, numbers, error);
}

/* What of a file's lines is known. */
enum { TEXT_TOLD = 1, TEXT_EDITED };

/* Files whose texts both profiles keep (moved_lines.h). */
static int number_texts(struct workspace *workspace, size_t profile, struct numbers *numbers,
                        struct error *error) {
  char sql[512];
  int own = (int)profile;
  snprintf(sql, sizeof sql,
           "SELECT f.id, iif(EXISTS (SELECT 1 FROM moved WHERE profile = %d AND file = f.path)"
           " OR EXISTS (SELECT 1 FROM edited WHERE profile = %d AND file = f.path), %d, %d)"
           " FROM p%d.raw_files f JOIN told t ON t.profile = %d AND t.file = f.path ORDER BY 1",
           own, own, TEXT_EDITED, TEXT_TOLD, own, own);
  return read_numbers(workspace, sql, numbers, error);
}

/* Objects of builds that both have. */
static int number_builds(struct workspace *workspace, size_t first, size_t second, size_t profile,
                         struct numbers *numbers, struct error *error) {
  char sql[512];
  snprintf(sql, sizeof sql,
           "SELECT o.id, 1 + (SELECT min(id) FROM p%d.raw_objects a WHERE a.build_id = o.build_id)"
           " FROM p%d.raw_objects o WHERE o.build_id <> ''"
           " AND o.build_id IN (SELECT build_id FROM p%d.raw_objects)"
           " AND o.build_id IN (SELECT build_id FROM p%d.raw_objects) ORDER BY 1",
           (int)first, (int)profile, (int)first, (int)second);
  return read_numbers(workspace, sql, numbers, error);
}

/* The number of the statement's id; 0: it has none. */
static uint32_t number_of(const struct numbers *numbers, sqlite3_stmt *row, int column) {
  if (sqlite3_column_type(row, column) == SQLITE_NULL) return 0;
  size_t place = ids_find(numbers->ids, numbers->count, sqlite3_column_int64(row, column));
  return place < numbers->count ? numbers->of[place] : 0;
}

static void numbers_free(struct numbers *numbers) {
  free(numbers->ids);
  free(numbers->of);
}

/* ---- keys ---- */

struct key {
  uint32_t caller, callee, file; /* numbers; 0: none */
  int32_t place;                 /* where the line stands in b's text; below 0: nowhere */
  int32_t line, column;
  bool unsure;   /* lines say nothing: the text was edited there, or is not known */
  uint64_t code; /* build and offset; 0: of another build, or not known */
  int64_t id;
};

/* id, caller, callee, file, line, object, offset, column. */
static const char *const key_sql[ENTRY_KINDS] = {
    [ENTRY_ARCS] = "SELECT rowid, caller, callee, NULL, 0, NULL, 0, 0 FROM p%1$d.raw_arcs",
    [ENTRY_SITES] = "SELECT id, caller, callee, file, line, object, offset, source_column"
                    " FROM p%1$d.raw_sites",
    [ENTRY_LINES] =
        "SELECT id, NULL, function, file, line, NULL, 0, 0 FROM p%1$d.raw_lines"
        " UNION ALL SELECT -x.id, NULL, x.function, x.file, x.line, NULL, 0, 0 FROM " ENTRY_EXECUTED
        " x LEFT JOIN p%1$d.raw_lines l ON l.file = x.file AND l.line = x.line"
        " AND l.function = x.function WHERE l.id IS NULL",
    [ENTRY_PLACES] = "SELECT id, NULL, function, file, line, NULL, 0, 0 FROM " ENTRY_OF_PLACES};

struct reading {
  struct workspace *workspace;
  size_t first, second;
  bool of_b;
  enum compared_kind kind;
  struct numbers functions, files, texts, builds;
  sqlite3_stmt *line; /* of an edited text: where it stands now, and whether it was edited */
  struct error *error;
};

struct keys {
  struct key *items;
  size_t count;
};

static size_t profile_of(const struct reading *reading) {
  return reading->of_b ? reading->second : reading->first;
}

static int32_t small(int64_t number) {
  return number > INT32_MIN && number < INT32_MAX ? (int32_t)number : 0;
}

static uint64_t code_of(const struct reading *reading, sqlite3_stmt *row) {
  enum { OFFSET_BITS = 40 };
  uint64_t build = number_of(&reading->builds, row, 5);
  int64_t offset = sqlite3_column_int64(row, 6);
  bool known =
      build && build >> (64 - OFFSET_BITS) == 0 && offset > 0 && offset >> OFFSET_BITS == 0;
  return known ? build << OFFSET_BITS | (uint64_t)offset : 0;
}

static int take_line(const struct reading *reading, sqlite3_stmt *row, struct key *key) {
  uint32_t text = number_of(&reading->texts, row, 3);
  key->line = key->place = small(sqlite3_column_int64(row, 4));
  key->unsure = !key->line || !text;
  if (text != TEXT_EDITED) return 0;
  sqlite3_bind_int64(reading->line, 1, sqlite3_column_int64(row, 3));
  sqlite3_bind_int64(reading->line, 2, key->line);
  if (sqlite3_step(reading->line) != SQLITE_ROW)
    return workspace_error(reading->workspace, reading->error);
  if (sqlite3_column_type(reading->line, 0) != SQLITE_NULL)
    key->place = small(sqlite3_column_int64(reading->line, 0));
  key->unsure |= sqlite3_column_int(reading->line, 1) != 0;
  sqlite3_reset(reading->line);
  return 0;
}

static int keys_add(struct keys *keys, const struct reading *reading, sqlite3_stmt *row) {
  struct key key = {.caller = number_of(&reading->functions, row, 1),
                    .callee = number_of(&reading->functions, row, 2),
                    .file = number_of(&reading->files, row, 3),
                    .code = code_of(reading, row),
                    .column = small(sqlite3_column_int64(row, 7)),
                    .id = sqlite3_column_int64(row, 0)};
  if (!key.callee || key.id == ENTRY_NONE) return 0; /* what has no function is no entry */
  if (reading->kind != ENTRY_ARCS && take_line(reading, row, &key) != 0) return -1;
  ARRAY_GROW(keys->items, keys->count);
  keys->items[keys->count++] = key;
  return 0;
}

static int open_reading(struct reading *reading) {
  struct workspace *workspace = reading->workspace;
  struct error *error = reading->error;
  size_t profile = profile_of(reading);
  if (number_functions(workspace, reading->first, reading->second, reading->of_b,
                       &reading->functions, error) != 0)
    return -1;
  if (reading->kind == ENTRY_ARCS) return 0;
  if (number_files(workspace, profile, &reading->files, error) != 0 ||
      number_texts(workspace, profile, &reading->texts, error) != 0 ||
      number_builds(workspace, reading->first, reading->second, profile, &reading->builds, error) !=
          0)
    return -1;
  return workspace_prepare(
      workspace, &reading->line, error,
      "SELECT (SELECT now FROM moved WHERE profile = %d AND file = f.path AND line = ?2),"
      " EXISTS (SELECT 1 FROM edited WHERE profile = %d AND file = f.path AND line = ?2)"
      " FROM p%d.raw_files f WHERE f.id = ?1",
      (int)profile, (int)profile, (int)profile);
}

static int keys_read(struct reading *reading, struct keys *keys) {
  sqlite3_stmt *rows = NULL;
  char sql[1024];
  snprintf(sql, sizeof sql, key_sql[reading->kind], (int)profile_of(reading));
  int step = SQLITE_DONE, result = open_reading(reading);
  if (result == 0) result = workspace_prepare(reading->workspace, &rows, reading->error, "%s", sql);
  while (result == 0 && (step = sqlite3_step(rows)) == SQLITE_ROW)
    result = keys_add(keys, reading, rows);
  if (result == 0 && step != SQLITE_DONE)
    result = workspace_error(reading->workspace, reading->error);
  sqlite3_finalize(rows);
  sqlite3_finalize(reading->line);
  numbers_free(&reading->functions);
  numbers_free(&reading->files);
  numbers_free(&reading->texts);
  numbers_free(&reading->builds);
  return result;
}

/* ---- one rule after the other ---- */

/* What is the same, beside caller and callee; and which entries may be told so. */
struct key_rule {
  bool code, file, place;
  bool uncoded, unsure; /* only those */
};

static const struct key_rule arc_rules[] = {{0}},
                             site_rules[] = {{.code = true},
                                             {.file = true, .place = true, .uncoded = true},
                                             {.file = true, .uncoded = true, .unsure = true}},
                             line_rules[] = {{.file = true, .place = true}};

static bool may(const struct key_rule *rule, const struct key *key) {
  return (!rule->code || key->code) && (!rule->uncoded || !key->code) &&
         (!rule->unsure || key->unsure);
}

static int compare_keys(const struct key_rule *rule, const struct key *x, const struct key *y) {
  if (x->caller != y->caller) return x->caller < y->caller ? -1 : 1;
  if (x->callee != y->callee) return x->callee < y->callee ? -1 : 1;
  if (rule->code && x->code != y->code) return x->code < y->code ? -1 : 1;
  if (rule->file && x->file != y->file) return x->file < y->file ? -1 : 1;
  return rule->place ? (x->place > y->place) - (x->place < y->place) : 0;
}

/* What cannot be told by this rule comes last; several of one key follow each other as in the text.
 */
static int in_order(const void *x, const void *y, void *at) {
  const struct key *a = x, *b = y;
  const struct key_rule *rule = at;
  if (may(rule, a) != may(rule, b)) return may(rule, a) ? -1 : 1;
  int order = compare_keys(rule, a, b);
  if (order == 0) order = (a->line > b->line) - (a->line < b->line);
  if (order == 0) order = (a->column > b->column) - (a->column < b->column);
  return order ? order : (a->id > b->id) - (a->id < b->id);
}

static void keys_sort(struct keys *keys, const struct key_rule *rule) {
  if (keys->count) qsort_r(keys->items, keys->count, sizeof *keys->items, in_order, (void *)rule);
}

static void add_pair(struct entry_pairs *pairs, int64_t a, int64_t b) {
  pairs->items[pairs->count++] = (struct entry_pair){a, b};
}

/* Pair what is equal; what is not stays in both. */
static void join(struct keys *a, struct keys *b, const struct key_rule *rule,
                 struct entry_pairs *pairs) {
  size_t i = 0, k = 0, left_a = 0, left_b = 0;
  keys_sort(a, rule);
  keys_sort(b, rule);
  while (i < a->count || k < b->count) {
    bool has_a = i < a->count && may(rule, &a->items[i]);
    bool has_b = k < b->count && may(rule, &b->items[k]);
    int order = has_a && has_b ? compare_keys(rule, &a->items[i], &b->items[k])
                : has_a        ? -1
                : has_b        ? 1
                : i < a->count ? -1
                               : 1;
    if (order == 0)
      add_pair(pairs, a->items[i++].id, b->items[k++].id);
    else if (order < 0)
      a->items[left_a++] = a->items[i++];
    else
      b->items[left_b++] = b->items[k++];
  }
  a->count = left_a;
  b->count = left_b;
}

static void pair_all(enum compared_kind kind, struct keys *a, struct keys *b,
                     struct entry_pairs *pairs) {
  const struct key_rule *rules = kind == ENTRY_ARCS    ? arc_rules
                                 : kind == ENTRY_SITES ? site_rules
                                                       : line_rules;
  size_t count = kind == ENTRY_SITES ? sizeof site_rules / sizeof *site_rules : 1;
  pairs->items = memory_resized(NULL, a->count + b->count, sizeof *pairs->items);
  for (size_t i = 0; i < count; i++)
    join(a, b, &rules[i], pairs);
  for (size_t i = 0; i < a->count; i++)
    add_pair(pairs, a->items[i].id, ENTRY_NONE);
  for (size_t i = 0; i < b->count; i++)
    add_pair(pairs, ENTRY_NONE, b->items[i].id);
  pairs->items = memory_resized(pairs->items, pairs->count, sizeof *pairs->items);
}

int match_by_keys(struct workspace *workspace, enum compared_kind kind, size_t first, size_t second,
                  struct entry_pairs *pairs, struct error *error) {
  struct reading of_a = {workspace, first, second, false, kind, .error = error};
  struct reading of_b = {workspace, first, second, true, kind, .error = error};
  struct keys a = {0}, b = {0};
  int result = keys_read(&of_a, &a);
  if (result == 0) result = keys_read(&of_b, &b);
  if (result == 0) pair_all(kind, &a, &b, pairs);
  free(a.items);
  free(b.items);
  return result;
}
