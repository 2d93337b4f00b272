/* Reading the counts of lines. */
#include <string.h>

#include "attribution/counts/expressions.h"
#include "attribution/counts/line_counts.h"
#include "base/count_before.h"

/* The first row that is not before the file, or with `behind` the first that is behind it. */
static size_t find_file(const struct profile *profile, const char *file, bool behind) {
  return COUNT_BEFORE(profile->line_count_count, i,
                      strcmp(profile->line_counts[i].file, file) < (behind ? 1 : 0));
}

void executed_lines_open(struct executed_lines *lines, const struct profile *profile,
                         const char *file, const bool *member) {
  *lines = (struct executed_lines){profile, member, 0, profile->line_count_count};
  if (!file) return;
  lines->at = find_file(profile, file, false);
  lines->end = find_file(profile, file, true);
}

static void add_counted(const struct executed_lines *lines, const struct profile_line_count *row,
                        struct executed_line *line) {
  if (!lines->member && row->share == LINE_NO_SHARE) return;
  line->known = true;
  line->unsure |= row->state == LINE_UNSURE;
  line->count += lines->member ? row->count : row->share;
}

static void add_row(const struct executed_lines *lines, const struct profile_line_count *row,
                    struct executed_line *line) {
  if (lines->member && (!lines->member[row->function] || row->state == LINE_MACRO)) return;
  if (row->state == LINE_COUNTED || row->state == LINE_UNSURE) add_counted(lines, row, line);
  if (row->state != LINE_MACRO) return;
  line->macro = true;
  line->count += row->count;
}

static bool is_same_line(const struct profile_line_count *a, const struct profile_line_count *b) {
  return a->line == b->line && strcmp(a->file, b->file) == 0;
}

bool executed_lines_next(struct executed_lines *lines, struct executed_line *line) {
  const struct profile_line_count *rows = lines->profile->line_counts;
  while (lines->at < lines->end) {
    const struct profile_line_count *first = &rows[lines->at];
    *line = (struct executed_line){.file = first->file, .line = first->line};
    for (; lines->at < lines->end && is_same_line(first, &rows[lines->at]); lines->at++)
      add_row(lines, &rows[lines->at], line);
    line->unsure &= !line->count;
    if (line->known || line->macro) return true;
  }
  return false;
}

void line_counts_coverage(const struct profile *profile, struct coverage *coverage) {
  struct executed_lines lines;
  struct executed_line line;
  *coverage = (struct coverage){0};
  executed_lines_open(&lines, profile, NULL, NULL);
  while (executed_lines_next(&lines, &line)) {
    coverage->lines += line.known;
    coverage->executed_lines += line.known && line.count;
  }
  for (size_t i = 0; i < profile->expression_count; i++) {
    if (!expression_is_branch(&profile->expressions[i])) continue;
    coverage->branches++;
    coverage->taken_branches += profile->expressions[i].count > 0;
  }
}
