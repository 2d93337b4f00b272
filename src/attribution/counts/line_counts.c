#include "attribution/counts/line_counts.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/counts/macro_lines.h"
#include "attribution/counts/range_sweep.h"
#include "base/count_before.h"
#include "profile/builder.h"

enum {
  HIGHEST_LINE = 1 << 24, /* what a damaged file says beyond is no line */
  LINES_OF_ANY = 1 << 16, /* in which no range begins, that may be told of */
  LINES_OF_RANGE = 64     /* and for each range: text that people write has fewer */
};

struct making {
  struct profile *profile;
  const struct profile_expression **ranges;
  size_t range_count;
  struct swept_range *swept; /* those of a function or file, as the sweep has them */
  size_t *from;              /* of each of these the first of the ranges that it stands for */
  bool *has_lines;           /* by function: its lines were counted themselves */
  bool regions;              /* of clang's: they lie in each other over functions */
  struct map nested;         /* files of a language host's, whose procedures do so, too */
  struct map begun;          /* file and line: code begins in it; made for macros */
  uint64_t budget;
};

static uint64_t sum(uint64_t a, uint64_t b) {
  return a > INT64_MAX || b > INT64_MAX - a ? INT64_MAX : a + b;
}

static void add_row(struct making *making, const struct profile_line_count *row) {
  profile_add_line_count(making->profile, *row);
}

/* ---- ranges in the order of the text ---- */

/* Each before those that lie in it, equal ones side by side. */
static int compare_text(const void *left, const void *right) {
  const struct profile_expression *a = *(const struct profile_expression *const *)left,
                                  *b = *(const struct profile_expression *const *)right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  if (a->end_line != b->end_line) return a->end_line > b->end_line ? -1 : 1;
  if (a->end_column != b->end_column) return a->end_column > b->end_column ? -1 : 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  return 0;
}

static int compare_ranges(const void *left, const void *right) {
  const struct profile_expression *a = *(const struct profile_expression *const *)left,
                                  *b = *(const struct profile_expression *const *)right;
  if (a->file != b->file) return a->file < b->file ? -1 : 1;
  if (a->function != b->function) return a->function < b->function ? -1 : 1;
  int order = compare_text(left, right);
  return order ? order : (a > b) - (a < b);
}

static bool is_line(uint32_t line) {
  return line && line < HIGHEST_LINE;
}

/* The ids of a host's functions, by where they begin. */
static void note_functions(const struct profile *profile, struct map *functions) {
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    bool of_world =
        function->object != NOTHING && profile->objects[function->object].kind == OBJECT_WORLD;
    if (of_world && function->file && function->line && function->column)
      map_find_or_add(functions, (uintptr_t)function->file,
                      (uint64_t)function->line << 32 | function->column, (uint32_t)i);
  }
}

/* Where the text of a procedure is counted as an expression of another's, which makes it. */
static void find_nested(struct making *making) {
  const struct profile *profile = making->profile;
  struct map functions = {0};
  note_functions(profile, &functions);
  for (size_t i = 0; i < making->range_count; i++) {
    const struct profile_expression *range = making->ranges[i];
    uint32_t begins =
        map_find(&functions, (uintptr_t)range->file, (uint64_t)range->line << 32 | range->column);
    if (begins == NOTHING || begins == range->function || range->kind != EXPRESSION_CODE) continue;
    uint32_t object = profile->functions[range->function].object;
    if (object != NOTHING && profile->objects[object].kind == OBJECT_WORLD)
      map_find_or_add(&making->nested, (uintptr_t)range->file, 0, 0);
  }
  map_free(&functions);
}

static void take_ranges(struct making *making) {
  const struct profile *profile = making->profile;
  for (size_t i = 0; i < profile->expression_count; i++) {
    const struct profile_expression *range = &profile->expressions[i];
    bool skips = range->kind == EXPRESSION_GAP || range->kind == EXPRESSION_SKIPPED;
    bool code = range->kind == EXPRESSION_CODE || range->kind == EXPRESSION_LINE;
    making->regions |= skips;
    if (!is_line(range->line) || (!code && !skips)) continue;
    making->ranges[making->range_count++] = range;
    if (range->kind == EXPRESSION_LINE) making->has_lines[range->function] = true;
  }
  if (making->range_count)
    qsort(making->ranges, making->range_count, sizeof(*making->ranges), compare_ranges);
  find_nested(making);
}

static uint32_t last_line(const struct making *making, const struct profile_expression *range) {
  uint32_t last = range->end_line > range->line ? range->end_line : range->line;
  /* Nothing of that line is in it; of regions those behind a gap may begin there. */
  bool empty = last > range->line && range->end_column == 1 && !making->regions;
  last -= empty;
  return last < HIGHEST_LINE ? last : HIGHEST_LINE;
}

/* The range with those that are equal to it, up to `to`. Returns the first that is not. */
static size_t sweep_range(struct making *making, size_t place, size_t at, size_t to) {
  const struct profile_expression *range = making->ranges[at];
  struct swept_range *swept = &making->swept[place];
  *swept = (struct swept_range){.line = range->line,
                                .last = last_line(making, range),
                                .tells = range->kind == EXPRESSION_CODE ||
                                         range->kind == EXPRESSION_LINE,
                                .skipped = range->kind == EXPRESSION_SKIPPED};
  making->from[place] = at;
  for (; at < to && compare_text(&range, &making->ranges[at]) == 0; at++)
    swept->count = sum(swept->count, making->ranges[at]->count);
  return at;
}

/* ---- lines of a function ---- */

/* Where the source is counted, what has no lines was made up by the compiler: the constructors,
 * destructors and initialisations that nobody wrote. */
static bool are_lines_counted(const struct making *making, uint32_t function) {
  const struct profile *profile = making->profile;
  uint32_t object = profile->functions[function].object;
  return making->has_lines[function] ||
         (object != NOTHING && profile->objects[object].counted & COUNTED_AS_WRITTEN);
}

/* Ranges `from` to `to` are all those of one function in one file. */
static void add_function(struct making *making, size_t from, size_t to) {
  uint32_t function = making->ranges[from]->function;
  bool lines = are_lines_counted(making, function);
  struct profile_line_count row = {.file = making->ranges[from]->file, .function = function};
  size_t count = 0, range;
  for (size_t i = from; i < to;) {
    if (lines && making->ranges[i]->kind != EXPRESSION_LINE)
      i++;
    else
      i = sweep_range(making, count++, i, to);
  }
  struct range_sweep sweep;
  range_sweep_open(&sweep, making->swept, count, &making->budget);
  while (range_sweep_next(&sweep, &row.line, &range)) {
    row.count = making->swept[range].count;
    row.share = making->regions ? LINE_NO_SHARE : row.count;
    add_row(making, &row);
  }
  range_sweep_close(&sweep);
}

/* ---- lines of regions ---- */

static void share_line(struct making *making, const struct map *rows, uint32_t line, size_t range,
                       size_t to) {
  const struct profile_expression *told = making->ranges[making->from[range]];
  for (size_t i = making->from[range]; i < to; i++) {
    if (compare_text(&told, &making->ranges[i]) != 0) break;
    uint32_t row = map_find(rows, making->ranges[i]->function, line);
    if (row == UINT32_MAX) continue; /* beyond the budget */
    struct profile_line_count *of = &making->profile->line_counts[row];
    of->share = sum(of->share == LINE_NO_SHARE ? 0 : of->share, making->ranges[i]->count);
  }
}

/* Ranges `from` to `to` are those of one file, whose rows begin at `row`. */
static void share_regions(struct making *making, size_t from, size_t to, size_t row) {
  const struct profile *profile = making->profile;
  struct map rows = {0};
  for (; row < profile->line_count_count; row++)
    map_find_or_add(&rows, profile->line_counts[row].function, profile->line_counts[row].line,
                    (uint32_t)row);
  qsort(making->ranges + from, to - from, sizeof(*making->ranges), compare_text);
  size_t count = 0, range;
  uint32_t line;
  for (size_t i = from; i < to;)
    i = sweep_range(making, count++, i, to);
  uint64_t budget = LINES_OF_ANY + LINES_OF_RANGE * (to - from);
  struct range_sweep sweep;
  range_sweep_open(&sweep, making->swept, count, &budget);
  while (range_sweep_next(&sweep, &line, &range))
    share_line(making, &rows, line, range, to);
  range_sweep_close(&sweep);
  map_free(&rows);
}

/* ---- lines of code ---- */

static size_t add_file(struct making *making, size_t from) {
  const struct profile_expression **ranges = making->ranges;
  size_t first_row = making->profile->line_count_count, at = from;
  bool regions = making->regions;
  making->regions |= map_find(&making->nested, (uintptr_t)ranges[from]->file, 0) != NOTHING;
  while (at < making->range_count && ranges[at]->file == ranges[from]->file) {
    size_t begin = at;
    while (at < making->range_count && ranges[at]->file == ranges[begin]->file &&
           ranges[at]->function == ranges[begin]->function)
      at++;
    add_function(making, begin, at);
  }
  if (making->regions) share_regions(making, from, at, first_row);
  making->regions = regions;
  return at;
}

int line_counts_compare(const struct profile_line_count *a, const struct profile_line_count *b) {
  int order = a->file == b->file ? 0 : strcmp(a->file, b->file);
  if (order) return order;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->function != b->function) return a->function < b->function ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

static int compare_rows(const void *left, const void *right) {
  return line_counts_compare(left, right);
}

static void sort_rows(struct profile *profile) {
  if (profile->line_count_count)
    qsort(profile->line_counts, profile->line_count_count, sizeof *profile->line_counts,
          compare_rows);
}

/* ---- lines without code ---- */

/* The first of `count` sorted rows that is not before the key. */
static size_t find_row(const struct profile *profile, size_t count,
                       const struct profile_line_count *key) {
  return COUNT_BEFORE(count, i, line_counts_compare(&profile->line_counts[i], key) < 0);
}

static bool is_of_line(const struct profile_line_count *a, const struct profile_line_count *b) {
  return a->file == b->file && a->line == b->line;
}

/* The function's row of that line, or null. */
static struct profile_line_count *row_of(const struct profile *profile, size_t count,
                                         const struct profile_line_count *key) {
  size_t row = find_row(profile, count, key);
  struct profile_line_count *found = &profile->line_counts[row];
  return row < count && is_of_line(found, key) && found->function == key->function ? found : NULL;
}

static bool has_code(const struct profile *profile, size_t count, struct profile_line_count key) {
  key.function = 0;
  size_t row = find_row(profile, count, &key);
  return row < count && is_of_line(&profile->line_counts[row], &key);
}

/* The macro decides for a line of the function that begins in other code at most: arguments
 * stand on lines of the call, which the code of the expansion began before, and may have been
 * executed more often. */
static void add_macro(struct making *making, size_t sorted, const struct macro_line *text) {
  const struct profile *profile = making->profile;
  if (map_find(&making->begun, (uintptr_t)text->file, text->line) != UINT32_MAX) return;
  struct profile_line_count row = {.file = text->file,
                                   .line = text->line,
                                   .function = text->function,
                                   .count = text->count,
                                   .share = text->count};
  struct profile_line_count *code = row_of(profile, sorted, &row);
  if (code && code->count < row.count) code->count = code->share = row.count;
  if (has_code(profile, sorted, row)) return;
  row.state = LINE_MACRO;
  add_row(making, &row);
}

/* Several texts of one line are one row. */
static void join_rows(struct profile *profile) {
  struct profile_line_count *rows = profile->line_counts;
  size_t kept = 0;
  sort_rows(profile);
  for (size_t i = 0; i < profile->line_count_count; i++)
    if (!kept || line_counts_compare(&rows[kept - 1], &rows[i]) != 0) rows[kept++] = rows[i];
  profile->line_count_count = kept;
}

static void note_beginnings(struct making *making) {
  for (size_t i = 0; i < making->range_count; i++)
    map_find_or_add(&making->begun, (uintptr_t)making->ranges[i]->file, making->ranges[i]->line, 0);
}

static void add_texts(struct making *making) {
  const struct profile *profile = making->profile;
  size_t sorted = profile->line_count_count, macro_count;
  struct macro_line *macros = macro_lines(profile, &macro_count);
  if (macro_count) note_beginnings(making);
  for (size_t i = 0; i < macro_count; i++)
    if (is_line(macros[i].line)) add_macro(making, sorted, &macros[i]);
  free(macros);
  join_rows(making->profile);
}

/* ---- what ticks met ---- */

static bool *met_lines(const struct profile *profile) {
  bool *met = memory_zeroed(profile->line_count, sizeof *met);
  for (size_t k = 0; k < profile->metric_count; k++) {
    const struct profile_metric *metric = &profile->metrics[k];
    for (size_t i = 0; i < metric->tick_count; i++)
      met[metric->ticks[i].line] |= metric->ticks[i].amount.ticks > 0;
  }
  return met;
}

/* Whether the line has code, all of which was executed 0 times. */
static bool never_ran(const struct profile *profile, size_t count, struct profile_line_count key) {
  bool code = false;
  key.function = 0;
  for (size_t i = find_row(profile, count, &key);
       i < count && is_of_line(&profile->line_counts[i], &key); i++) {
    const struct profile_line_count *row = &profile->line_counts[i];
    if (row->count) return false;
    code |= row->state == LINE_COUNTED || row->state == LINE_UNSURE;
  }
  return code;
}

/* The tick's function may have no count there, where others have. */
static void add_met(struct making *making, size_t sorted, const struct profile_line *line) {
  struct profile_line_count row = {
      .file = line->file, .line = line->line, .function = line->function};
  struct profile_line_count *own = row_of(making->profile, sorted, &row);
  if (own && own->state == LINE_COUNTED) {
    if (!own->count) own->state = LINE_UNSURE;
    return;
  }
  if (!never_ran(making->profile, sorted, row)) return;
  row.state = LINE_UNSURE;
  add_row(making, &row);
}

static void add_unsure(struct making *making) {
  const struct profile *profile = making->profile;
  size_t sorted = profile->line_count_count;
  bool *met = met_lines(profile);
  for (size_t i = 0; sorted && i < profile->line_count; i++)
    if (met[i] && profile->lines[i].file) add_met(making, sorted, &profile->lines[i]);
  join_rows(making->profile);
  free(met);
}

void line_counts_make(struct profile *profile) {
  if (!profile->expression_count) return;
  struct making making = {
      .profile = profile,
      .ranges = memory_zeroed(profile->expression_count, sizeof(*making.ranges)),
      .swept = memory_zeroed(profile->expression_count, sizeof *making.swept),
      .from = memory_zeroed(profile->expression_count, sizeof *making.from),
      .has_lines = memory_zeroed(profile->function_count, sizeof *making.has_lines),
      .budget = LINES_OF_ANY + LINES_OF_RANGE * (uint64_t)profile->expression_count};
  take_ranges(&making);
  for (size_t at = 0; at < making.range_count;)
    at = add_file(&making, at);
  sort_rows(profile);
  add_texts(&making);
  add_unsure(&making);
  map_free(&making.begun);
  map_free(&making.nested);
  free(making.has_lines);
  free(making.from);
  free(making.swept);
  free(making.ranges);
}
