#include "attribution/counts/macro_lines.h"

#include <stdlib.h>

/* What a range has in one copy. */
struct part {
  struct macro_line line;
  const struct profile_copy *copy;
};

static int compare(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static int compare_lines(const struct part *a, const struct part *b) {
  int order = compare((uintptr_t)a->line.file, (uintptr_t)b->line.file);
  if (!order) order = compare(a->line.line, b->line.line);
  return order ? order : compare(a->line.function, b->line.function);
}

static int compare_copies(const struct part *a, const struct part *b) {
  int order = compare_lines(a, b);
  if (!order) order = compare(a->copy->within, b->copy->within);
  if (!order) order = compare(a->copy->expansion, b->copy->expansion);
  return order ? order : compare((uintptr_t)a->copy->clone, (uintptr_t)b->copy->clone);
}

static int compare_parts(const void *left, const void *right) {
  return compare_copies(left, right);
}

static struct part *find_parts(const struct profile *profile, size_t *count) {
  struct part *parts = memory_zeroed(profile->copy_count, sizeof *parts);
  *count = 0;
  for (size_t i = 0; i < profile->copy_count; i++) {
    const struct profile_copy *copy = &profile->copies[i];
    const struct profile_expression *text = &profile->expressions[copy->expression];
    if (text->kind == EXPRESSION_MACRO)
      parts[(*count)++] =
          (struct part){{text->file, text->line, text->function, copy->count}, copy};
  }
  if (*count) qsort(parts, *count, sizeof *parts, compare_parts);
  return parts;
}

struct macro_line *macro_lines(const struct profile *profile, size_t *count) {
  size_t part_count;
  struct part *parts = find_parts(profile, &part_count);
  struct macro_line *lines = memory_zeroed(part_count, sizeof *lines);
  *count = 0;
  for (size_t i = 0, copy; i < part_count; i = copy) {
    uint64_t most = 0;
    for (copy = i; copy < part_count && compare_copies(&parts[i], &parts[copy]) == 0; copy++)
      if (parts[copy].line.count > most) most = parts[copy].line.count;
    bool same = i && compare_lines(&parts[i - 1], &parts[i]) == 0;
    if (!same)
      lines[(*count)++] =
          (struct macro_line){parts[i].line.file, parts[i].line.line, parts[i].line.function, 0};
    lines[*count - 1].count += most;
  }
  free(parts);
  return lines;
}
