#include "report/arrows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_target(const void *left, const void *right) {
  const struct jump *a = left, *b = right;
  if (a->to != b->to) return a->to < b->to ? -1 : 1;
  return (a->from > b->from) - (a->from < b->from);
}

static int shorter_first(const void *left, const void *right) {
  const struct arrow *a = left, *b = right;
  uint32_t of_a = a->last - a->first, of_b = b->last - b->first;
  if (of_a != of_b) return of_a < of_b ? -1 : 1;
  return (a->first > b->first) - (a->first < b->first);
}

static void make_list(struct arrows *arrows) {
  arrows->list = memory_zeroed(arrows->jump_count, sizeof *arrows->list);
  for (size_t i = 0; i < arrows->jump_count; i++) {
    const struct jump *jump = &arrows->jumps[i];
    bool is_new = i == 0 || jump->to != jump[-1].to;
    struct arrow *arrow = &arrows->list[is_new ? arrows->count++ : arrows->count - 1];
    if (is_new) *arrow = (struct arrow){jump->to, jump->to, jump->to, MOST_LANES};
    if (jump->from < arrow->first) arrow->first = jump->from;
    if (jump->from > arrow->last) arrow->last = jump->from;
  }
}

/* The innermost lane that no shorter arrow uses beside it. */
static void choose_lane(struct arrows *arrows, size_t index) {
  struct arrow *arrow = &arrows->list[index];
  bool used[MOST_LANES] = {false};
  for (size_t i = 0; i < index; i++) {
    const struct arrow *other = &arrows->list[i];
    if (other->lane < MOST_LANES && other->first <= arrow->last && arrow->first <= other->last)
      used[other->lane] = true;
  }
  for (arrow->lane = 0; arrow->lane < MOST_LANES && used[arrow->lane];)
    arrow->lane++;
  if (arrow->lane < MOST_LANES && arrow->lane >= arrows->lanes) arrows->lanes = arrow->lane + 1;
}

void arrows_make(struct jump *jumps, size_t count, struct arrows *arrows) {
  *arrows = (struct arrows){.jumps = jumps, .jump_count = count};
  if (count == 0) return;
  qsort(jumps, count, sizeof *jumps, by_target);
  make_list(arrows);
  qsort(arrows->list, arrows->count, sizeof *arrows->list, shorter_first);
  for (size_t i = 0; i < arrows->count; i++)
    choose_lane(arrows, i);
}

void arrows_free(struct arrows *arrows) {
  free(arrows->list);
  free(arrows->jumps);
  *arrows = (struct arrows){0};
}

static bool leaves(const struct arrows *arrows, const struct arrow *arrow, uint32_t row) {
  struct jump wanted = {row, arrow->to};
  return bsearch(&wanted, arrows->jumps, arrows->jump_count, sizeof wanted, by_target) != NULL;
}

/* From the lane to the code: "`-->" or ",---". */
static void draw_end(const struct arrow *arrow, uint32_t row, char *lane, char *code) {
  *lane = row == arrow->first ? ',' : row == arrow->last ? '`' : '+';
  if (arrow->first == arrow->last) *lane = '-';
  for (char *at = lane + 1; at < code; at++)
    *at = *at == '|' || *at == '+' ? '+' : '-';
  if (*code != '>') *code = row == arrow->to ? '>' : '-';
}

const char *arrows_row(const struct arrows *arrows, uint32_t row, bool gap,
                       char text[ARROW_BYTES]) {
  char *code = text + arrows->lanes; /* the column next to the code */
  memset(text, ' ', arrows->lanes + 2);
  text[arrows->lanes + 2] = '\0';
  for (size_t i = 0; i < arrows->count; i++) {
    const struct arrow *arrow = &arrows->list[i];
    bool inside =
        gap ? row > arrow->first && row <= arrow->last : row >= arrow->first && row <= arrow->last;
    if (inside && arrow->lane < MOST_LANES) text[arrows->lanes - 1 - arrow->lane] = '|';
  }
  for (size_t i = 0; i < arrows->count && !gap; i++) {
    const struct arrow *arrow = &arrows->list[i];
    if (arrow->lane < MOST_LANES && (row == arrow->to || leaves(arrows, arrow, row)))
      draw_end(arrow, row, text + arrows->lanes - 1 - arrow->lane, code);
  }
  return text;
}
