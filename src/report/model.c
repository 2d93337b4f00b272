#include "report/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/average_time.h"
#include "base/memory.h"

const char *model_relative(const struct report_model *model, const char *path) {
  const char *directory = model->run.directory;
  size_t length = directory ? strlen(directory) : 0;
  bool below = length > 1 && strncmp(path, directory, length) == 0 && path[length] == '/';
  return below ? path + length + 1 : path;
}

struct range model_hooks(const struct report_model *model, uint32_t id) {
  const struct function_cost *cost = &model->costs->functions[id];
  bool counted = model->profile->functions[id].kind == FUNCTION_COUNTED;
  return books_hooks_of(&model->books, counted ? cost->calls + cost->recursive : 0,
                        model_estimate(model, cost->self));
}

const char *model_unit(const struct report_model *model) {
  return profile_metric(model->profile)->unit;
}

const char *model_share(const struct report_model *model) {
  return model_unit(model) ? "cost" : "time";
}

uint64_t model_whole_ns(const struct report_model *model) {
  return books_whole_ns(&model->books) + books_whole_ns(&model->wait_books);
}

struct estimate model_estimate(const struct report_model *model, struct amount amount) {
  return books_estimate(&model->books, amount);
}

bool model_has_total(const struct report_model *model, uint32_t function) {
  return costs_total_known(model->profile, model->costs, function);
}

struct amount model_time(const struct report_model *model, uint32_t function) {
  const struct function_cost *cost = &model->costs->functions[function];
  return model_has_total(model, function) ? cost->total : cost->self;
}

int model_compare_times(const void *left, const void *right, void *context) {
  const struct report_model *model = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t first = model_time(model, a).raw_ns, second = model_time(model, b).raw_ns;
  if (first != second) return first > second ? -1 : 1;
  return model->index[a] < model->index[b] ? -1 : model->index[a] > model->index[b];
}

bool model_total_by_ratio(const struct report_model *model, uint32_t function, uint64_t *ns) {
  if (!model->by_ratio || !average_time_stands_for_total(model->profile, model->costs, function))
    return false;
  struct amount total = {.raw_ns = (uint64_t)llround(model->by_ratio[function])};
  *ns = books_ns(&model->books, total);
  return true;
}

bool model_is_of_waiting(const struct report_model *model) {
  return profile_metric(model->profile)->kind == METRIC_WAITING;
}

/* Waiting stands beside CPU time. */
static void add_waits(struct report_model *model) {
  const struct profile *profile = model->profile;
  if (profile_metric(profile)->kind != METRIC_CPU) return;
  for (uint32_t i = 0; i < profile->metric_count; i++) {
    struct profile view = metric_view(profile, i);
    if (profile->metrics[i].kind != METRIC_WAITING) continue;
    model->wait_costs = costs_compute(&view, &model->options->selection);
    books_make(&view, &model->wait_books);
  }
}

bool model_is_part(const struct report_model *model) {
  return !costs_selects_all(&model->options->selection);
}

struct unattributed model_unattributed(const struct report_model *model,
                                       enum unattributed_kind kind) {
  if (model_is_part(model)) return (struct unattributed){0};
  return unattributed_of(&model->books, kind);
}

static void find_ratios(struct report_model *model) {
  const struct profile *profile = model->profile;
  if (!profile->possible_call_count || model_is_part(model)) return;
  struct average_time *average =
      average_time_compute(profile, model->costs, &model->options->selection);
  model->by_ratio = memory_zeroed(profile->function_count, sizeof *model->by_ratio);
  for (uint32_t i = 0; i < profile->function_count; i++)
    model->by_ratio[i] = average_time_of(average, i);
  average_time_free(average);
}

struct report_model *model_open(const struct profile *profile,
                                const struct report_options *options) {
  struct report_model *model = memory_zeroed(1, sizeof *model);
  model->profile = profile;
  model->options = options;
  model->costs = costs_compute(profile, &options->selection);
  books_make(profile, &model->books);
  run_make(profile, &model->run);
  add_waits(model);
  find_ratios(model);
  model_order(model);
  return model;
}

void model_close(struct report_model *model) {
  costs_free(model->costs);
  costs_free(model->wait_costs);
  free(model->by_total);
  free(model->index);
  free(model->callers);
  free(model->callees);
  free(model->first_caller);
  free(model->first_callee);
  free(model->ambiguous);
  free(model->by_ratio);
  free(model);
}
