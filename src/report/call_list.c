#include "report/call_list.h"

#include <stdlib.h>
#include <string.h>

#include "report/subject.h"

const struct profile_site *call_site_of(const struct call_list *list, const struct call *call) {
  return call->site == NOTHING ? NULL : &list->model->profile->sites[call->site];
}

const struct profile_line *call_line_of(const struct call_list *list, const struct call *call) {
  return &list->model->profile->lines[list->lines->list[call->call_line].line];
}

struct amount call_time(const struct call_list *list, const struct call *call) {
  static const struct amount none;
  return call->call_line == NOTHING ? none : list->lines->list[call->call_line].total;
}

/* ---- order ---- */

static int by_place(const struct call_list *list, const struct call *a, const struct call *b) {
  const struct profile_site *of_a = call_site_of(list, a), *of_b = call_site_of(list, b);
  const char *file_a = of_a ? of_a->file : call_line_of(list, a)->file;
  const char *file_b = of_b ? of_b->file : call_line_of(list, b)->file;
  uint32_t line_a = of_a ? of_a->line : call_line_of(list, a)->line;
  uint32_t line_b = of_b ? of_b->line : call_line_of(list, b)->line;
  int order = strcmp(file_a ? file_a : "", file_b ? file_b : "");
  if (order) return order;
  return line_a == line_b ? (a->site > b->site) - (a->site < b->site) : line_a < line_b ? -1 : 1;
}

static int by_number(uint64_t a, uint64_t b) {
  return (a < b) - (a > b);
}

static int in_order(const void *left, const void *right, void *context) {
  const struct call_list *list = context;
  const struct call *a = left, *b = right;
  enum report_sort sort = list->model->options->sort;
  int by_calls = by_number(a->calls, b->calls);
  int by_time = by_number(call_time(list, a).raw_ns, call_time(list, b).raw_ns);
  int order = by_calls ? by_calls : by_time;
  if (sort == SORT_SELF || sort == SORT_TOTAL) order = by_time ? by_time : by_calls;
  return order && sort != SORT_NAME ? order : by_place(list, a, b);
}

/* ---- the list ---- */

static void choose_sites(struct call_list *list, uint32_t function, bool *has_site) {
  const struct report_model *model = list->model;
  const struct profile *profile = model->profile;
  for (uint32_t i = 0; i < profile->site_count; i++) {
    const struct profile_site *site = &profile->sites[i];
    if ((list->into ? site->callee : site->caller) != function) continue;
    uint64_t calls = model->costs->site_calls[i];
    if (!calls && !(list->possible && list->possible[i])) continue;
    uint32_t call_line = list->lines->of_site[i];
    list->items[list->count++] = (struct call){i, call_line, calls};
    list->calls += calls;
    if (call_line == NOTHING) continue;
    list->shared |= has_site[call_line];
    has_site[call_line] = true;
  }
}

static void choose_lines(struct call_list *list, uint32_t function, const bool *has_site) {
  const struct profile *profile = list->model->profile;
  for (uint32_t i = 0; i < list->lines->count; i++) {
    const struct call_line *call = &list->lines->list[i];
    uint32_t of = list->into ? call->callee : profile->lines[call->line].function;
    if (!has_site[i] && of == function) list->items[list->count++] = (struct call){NOTHING, i, 0};
  }
}

struct call_list call_list_make(const struct report_model *model, const struct call_lines *lines,
                                const struct profile_possible_call **possible, uint32_t function,
                                bool into) {
  struct call_list list = {.model = model, .lines = lines, .possible = possible, .into = into};
  bool *has_site = memory_zeroed(lines->count, sizeof *has_site);
  list.items = memory_zeroed(model->profile->site_count + lines->count, sizeof *list.items);
  choose_sites(&list, function, has_site);
  choose_lines(&list, function, has_site);
  qsort_r(list.items, list.count, sizeof *list.items, in_order, &list);
  free(has_site);
  return list;
}

void call_list_free(struct call_list *list) {
  free(list->items);
}

/* ---- the functions ---- */

static int most_called_first(const void *left, const void *right, void *context) {
  const struct report_model *model = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct function_cost *of_a = &model->costs->functions[a],
                             *of_b = &model->costs->functions[b];
  int order = by_number(of_a->calls + of_a->recursive, of_b->calls + of_b->recursive);
  if (!order) order = by_number(of_a->total.raw_ns, of_b->total.raw_ns);
  return order ? order : (a > b) - (a < b);
}

uint32_t *call_list_functions(const struct report_model *model, size_t *count) {
  const struct subject *subject = model->options->calls;
  uint32_t *functions = memory_zeroed(model->profile->function_count, sizeof *functions);
  *count = 0;
  for (size_t i = 0; i < subject->group_count; i++)
    for (size_t k = 0; k < subject->groups[i].count; k++)
      functions[(*count)++] = subject->groups[i].ids[k];
  qsort_r(functions, *count, sizeof *functions, most_called_first, (void *)model);
  return functions;
}
