/* The orders of functions and arcs in a report. */
#include <stdlib.h>
#include <string.h>

#include "attribution/own_code.h"
#include "base/memory.h"
#include "report/model.h"

/* ---- functions ---- */

static int descending(uint64_t a, uint64_t b) {
  return a > b ? -1 : a < b;
}

static int compare_names(const struct report_model *model, uint32_t a, uint32_t b) {
  const struct profile_function *functions = model->profile->functions;
  int order = strcmp(functions[a].name, functions[b].name);
  return order ? order : (a > b) - (a < b);
}

/* What the order goes by: CPU time and, where it was seen, waiting. */
static struct amount self_of(const struct report_model *model, uint32_t function) {
  struct amount self = model->costs->functions[function].self;
  if (!model->wait_costs) return self;
  return amount_sum(self, model->wait_costs->functions[function].self);
}

static struct amount total_of(const struct report_model *model, uint32_t function) {
  struct amount total = model->costs->functions[function].total;
  if (!model->wait_costs) return total;
  return amount_sum(total, model->wait_costs->functions[function].total);
}

static int compare_functions(const void *left, const void *right, void *context) {
  const struct report_model *model = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct function_cost *costs = model->costs->functions;
  int order = descending(total_of(model, a).raw_ns, total_of(model, b).raw_ns);
  if (!order) order = descending(costs[a].calls, costs[b].calls);
  return order ? order : compare_names(model, a, b);
}

static int compare_self(const void *left, const void *right, void *context) {
  const struct report_model *model = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct function_cost *costs = model->costs->functions;
  int order = descending(self_of(model, a).raw_ns, self_of(model, b).raw_ns);
  if (!order) order = descending(costs[a].calls, costs[b].calls);
  return order ? order : compare_names(model, a, b);
}

static int compare_calls(const void *left, const void *right, void *context) {
  const struct report_model *model = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct function_cost *costs = model->costs->functions;
  int order = descending(costs[a].calls, costs[b].calls);
  return order ? order : compare_functions(left, right, context);
}

static int compare_alphabetically(const void *left, const void *right, void *context) {
  return compare_names(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

bool model_lists(const struct report_model *model, uint32_t function) {
  return !model->options->mine || own_code(model->profile, function);
}

uint32_t *model_sorted(const struct report_model *model, enum report_sort fallback) {
  static int (*const orders[])(const void *, const void *,
                               void *) = {[SORT_SELF] = compare_self,
                                          [SORT_TOTAL] = compare_functions,
                                          [SORT_CALLS] = compare_calls,
                                          [SORT_NAME] = compare_alphabetically};
  enum report_sort sort = model->options->sort;
  uint32_t *functions = memory_zeroed(model->listed_count, sizeof *functions);
  for (size_t i = 0, count = 0; i < model->function_count; i++)
    if (model_lists(model, model->by_total[i])) functions[count++] = model->by_total[i];
  qsort_r(functions, model->listed_count, sizeof *functions,
          orders[sort == SORT_DEFAULT ? fallback : sort], (void *)model);
  return functions;
}

static void order_functions(struct report_model *model) {
  size_t count = model->profile->function_count;
  model->by_total = memory_zeroed(count, sizeof *model->by_total);
  model->index = memory_zeroed(count, sizeof *model->index);
  for (size_t i = 0; i < count; i++) {
    const struct function_cost *cost = &model->costs->functions[i];
    if (cost->calls || cost->recursive || total_of(model, i).raw_ns)
      model->by_total[model->function_count++] = i;
  }
  qsort_r(model->by_total, model->function_count, sizeof *model->by_total, compare_functions,
          model);
  for (size_t i = 0; i < model->function_count; i++) {
    model->index[model->by_total[i]] = i + 1;
    model->listed_count += model_lists(model, model->by_total[i]);
  }
}

/* ---- arcs ---- */

static int compare_by_caller(const void *left, const void *right, void *context) {
  const struct arc_cost *arcs = context;
  const struct arc_cost *a = &arcs[*(const uint32_t *)left], *b = &arcs[*(const uint32_t *)right];
  if (a->caller != b->caller) return a->caller + 1 < b->caller + 1 ? -1 : 1;
  int order = descending(a->out_self.raw_ns + a->out_child.raw_ns,
                         b->out_self.raw_ns + b->out_child.raw_ns);
  if (!order) order = descending(a->calls, b->calls);
  return order ? order : (a->callee > b->callee) - (a->callee < b->callee);
}

static int compare_by_callee(const void *left, const void *right, void *context) {
  const struct arc_cost *arcs = context;
  const struct arc_cost *a = &arcs[*(const uint32_t *)left], *b = &arcs[*(const uint32_t *)right];
  if (a->callee != b->callee) return a->callee < b->callee ? -1 : 1;
  int order =
      descending(b->in_self.raw_ns + b->in_child.raw_ns, a->in_self.raw_ns + a->in_child.raw_ns);
  if (!order) order = descending(b->calls, a->calls);
  return order ? order : (a->caller > b->caller) - (a->caller < b->caller);
}

static void order_arcs(struct report_model *model) {
  const struct costs *costs = model->costs;
  size_t functions = model->profile->function_count;
  model->callers = memory_zeroed(costs->arc_count, sizeof *model->callers);
  model->callees = memory_zeroed(costs->arc_count, sizeof *model->callees);
  model->first_caller = memory_zeroed(functions + 1, sizeof *model->first_caller);
  model->first_callee = memory_zeroed(functions + 2, sizeof *model->first_callee);
  for (size_t i = 0; i < costs->arc_count; i++) {
    model->callers[i] = model->callees[i] = i;
    model->first_caller[costs->arcs[i].callee + 1]++;
    model->first_callee[(uint32_t)(costs->arcs[i].caller + 1) + 1]++;
  }
  for (size_t i = 0; i < functions; i++)
    model->first_caller[i + 1] += model->first_caller[i];
  for (size_t i = 0; i < functions + 1; i++)
    model->first_callee[i + 1] += model->first_callee[i];
  qsort_r(model->callers, costs->arc_count, sizeof *model->callers, compare_by_callee, costs->arcs);
  qsort_r(model->callees, costs->arc_count, sizeof *model->callees, compare_by_caller, costs->arcs);
}

/* ---- names ---- */

static void find_ambiguous(struct report_model *model) {
  const struct profile_function *functions = model->profile->functions;
  size_t count = model->function_count;
  uint32_t *order = memory_zeroed(count, sizeof *order);
  model->ambiguous = memory_zeroed(model->profile->function_count, sizeof *model->ambiguous);
  memcpy(order, model->by_total, count * sizeof *order);
  qsort_r(order, count, sizeof *order, compare_alphabetically, model);
  for (size_t i = 1; i < count; i++)
    if (strcmp(functions[order[i - 1]].name, functions[order[i]].name) == 0)
      model->ambiguous[order[i - 1]] = model->ambiguous[order[i]] = true;
  free(order);
}

void model_order(struct report_model *model) {
  order_functions(model);
  order_arcs(model);
  find_ambiguous(model);
}
