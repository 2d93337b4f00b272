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
  return order ? order : compare(a->block, b->block);
}

static int by_count(const void *left, const void *right) {
  const struct line_copy *a = left, *b = right;
  int order = compare(a->line, b->line);
  if (!order) order = compare(b->count, a->count);
  return order ? order : by_copy(left, right);
}

static int by_expression(const void *left, const void *right) {
  const struct line_copy *a = left, *b = right;
  int order = by_copy(left, right);
  return order ? order : compare(a->expression, b->expression);
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
    bool macro = expression->kind == EXPRESSION_MACRO;
    copies[count++] =
        (struct line_copy){.line = expression->line,
                           .expression = copy->expression,
                           .own = copy->within == expression->function &&
                                  copy->expansion == NOTHING && (macro || copy->block == NOTHING),
                           .macro = macro,
                           .within = copy->within,
                           .expansion = copy->expansion,
                           .clone = copy->clone,
                           .block = macro ? NOTHING : copy->block,
                           .count = copy->count,
                           .self = self[i]};
  }
  free(self);
  return count;
}

/* What the copies in blocks have not of their expressions' time: the compiler's back end has made
 * more of them. Returns how many copies there are then. */
static size_t add_untold(const struct profile *profile, struct line_copy *copies, size_t count) {
  struct amount *rest = expressions_self(profile);
  bool *in_blocks = memory_zeroed(profile->expression_count, sizeof *in_blocks);
  size_t all = count;
  for (size_t i = 0; i < count; i++) {
    struct amount *of = &rest[copies[i].expression];
    in_blocks[copies[i].expression] |= copies[i].block != NOTHING;
    *of = (struct amount){of->ticks - copies[i].self.ticks, of->raw_ns - copies[i].self.raw_ns};
  }
  for (uint32_t i = 0; i < profile->expression_count; i++)
    if (in_blocks[i] && rest[i].ticks)
      copies[all++] = (struct line_copy){.line = profile->expressions[i].line,
                                         .expression = i,
                                         .within = NOTHING,
                                         .expansion = NOTHING,
                                         .block = NOTHING,
                                         .self = rest[i]};
  free(rest);
  free(in_blocks);
  return all;
}

/* The parts of one expression in one copy add up. */
static size_t join_parts(struct line_copy *copies, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct line_copy *last = kept ? &copies[kept - 1] : NULL;
    if (!last || by_expression(last, &copies[i]) != 0) {
      copies[kept++] = copies[i];
      continue;
    }
    last->count += copies[i].count;
    last->self = amount_sum(last->self, copies[i].self);
  }
  return kept;
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
    if (copies[i].count > last->count) last->count = copies[i].count;
    last->self = amount_sum(last->self, copies[i].self);
  }
  return kept;
}

static bool is_beside_blocks(const struct line_copy *one, const struct line_copy *next) {
  return next->line == one->line && next->within == one->within &&
         next->expansion == one->expansion && next->clone == one->clone && next->block != NOTHING;
}

/* Blocks come before NOTHING. */
static void mark_rest(struct line_copy *copies, size_t count) {
  for (size_t i = 1; i < count; i++)
    copies[i].rest = copies[i].block == NOTHING && is_beside_blocks(&copies[i], &copies[i - 1]);
}

struct line_copy *line_copies(const struct profile *profile, const char *file, const bool *member,
                              size_t *count) {
  struct line_copy *copies =
      memory_zeroed(profile->copy_count + profile->expression_count, sizeof *copies);
  *count = find_copies(profile, file, member, copies);
  *count = add_untold(profile, copies, *count);
  if (*count) qsort(copies, *count, sizeof *copies, by_expression);
  *count = join_parts(copies, *count);
  *count = join_same(copies, *count);
  mark_rest(copies, *count);
  if (*count) qsort(copies, *count, sizeof *copies, by_count);
  for (size_t i = 0; i < *count; i++) {
    bool before = i && copies[i - 1].line == copies[i].line;
    bool after = i + 1 < *count && copies[i + 1].line == copies[i].line;
    copies[i].own &= !before && !after;
  }
  return copies;
}
