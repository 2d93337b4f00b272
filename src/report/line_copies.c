#include "report/line_copies.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/counts/copies.h"
#include "attribution/counts/expressions.h"

static int compare(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/* Those of one line and kind together, and in these the same copies. */
static int by_copy(const void *left, const void *right) {
  const struct line_copy *a = left, *b = right;
  int order = compare(a->line, b->line);
  if (!order) order = compare(a->macro, b->macro);
  if (!order) order = compare(a->within, b->within);
  if (!order) order = compare(a->expansion, b->expansion);
  if (!order) order = compare((uintptr_t)a->clone, (uintptr_t)b->clone);
  return order;
}

static uint64_t counted(const struct line_copy *copy) {
  return copy->count == COPY_UNCOUNTED ? 0 : copy->count;
}

static int by_count(const void *left, const void *right) {
  const struct line_copy *a = left, *b = right;
  int order = compare(a->line, b->line);
  if (!order) order = compare(counted(b), counted(a));
  if (!order) order = compare(b->self.raw_ns, a->self.raw_ns);
  return order ? order : by_copy(left, right);
}

static bool is_text_of(const struct profile_expression *expression, const char *file,
                       const bool *member) {
  bool text = expression->kind == EXPRESSION_CODE || expression->kind == EXPRESSION_MACRO;
  return text && strcmp(expression->file, file) == 0 && (!member || member[expression->function]);
}

static size_t find_copies(const struct profile *profile, const char *file, const bool *member,
                          struct line_copy *copies) {
  struct amount *self = copies_self(profile);
  size_t count = 0;
  for (size_t i = 0; i < profile->copy_count; i++) {
    const struct profile_copy *copy = &profile->copies[i];
    const struct profile_expression *expression = &profile->expressions[copy->expression];
    if (!is_text_of(expression, file, member)) continue;
    copies[count++] = (struct line_copy){.line = expression->line,
                                         .own = copy->within == expression->function &&
                                                copy->expansion == NOTHING,
                                         .macro = expression->kind == EXPRESSION_MACRO,
                                         .within = copy->within,
                                         .expansion = copy->expansion,
                                         .clone = copy->clone,
                                         .count = copy->count,
                                         .self = self[i]};
  }
  free(self);
  return count;
}

/* One for each copy of a line; what macros have on lines with code is left out. */
static size_t join_same(struct line_copy *copies, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct line_copy *last = kept ? &copies[kept - 1] : NULL;
    if (!last || last->line != copies[i].line || by_copy(last, &copies[i]) != 0) {
      bool left_out = last && last->line == copies[i].line && last->macro != copies[i].macro;
      if (!left_out) copies[kept++] = copies[i];
      continue;
    }
    if (last->count == COPY_UNCOUNTED || counted(&copies[i]) > last->count)
      last->count = copies[i].count;
    last->self = amount_sum(last->self, copies[i].self);
  }
  return kept;
}

struct line_copy *line_copies(const struct profile *profile, const char *file, const bool *member,
                              size_t *count) {
  struct line_copy *copies = memory_zeroed(profile->copy_count, sizeof *copies);
  *count = find_copies(profile, file, member, copies);
  if (*count) qsort(copies, *count, sizeof *copies, by_copy);
  *count = join_same(copies, *count);
  if (*count) qsort(copies, *count, sizeof *copies, by_count);
  for (size_t i = 0; i < *count; i++) {
    bool before = i && copies[i - 1].line == copies[i].line;
    bool after = i + 1 < *count && copies[i + 1].line == copies[i].line;
    copies[i].own &= !before && !after;
  }
  return copies;
}
