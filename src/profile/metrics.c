#include "profile/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "profile/appended.h"
#include "profile/profile.h"

/* A host's unit is any text, and reports print it as it is. */
static const char *printable(struct profile *profile, const char *text) {
  char *copy = memory_text(text);
  utf8_blot_controls(copy);
  const char *kept = strcmp(copy, text) == 0 ? text : pool_string(profile->pool, copy);
  free(copy);
  return kept;
}

uint32_t metrics_add(struct profile *profile, enum metric_kind kind, const char *name,
                     const char *unit) {
  struct profile_metric metric = {
      .kind = kind, .name = name, .unit = unit ? printable(profile, unit) : NULL};
  return APPENDED(profile->metrics, profile->metric_count, metric);
}

void metric_free(struct profile_metric *metric) {
  free(metric->ticks);
  free(metric->instructions);
  free(metric->measures);
  free(metric->self);
  free(metric->series);
  free(metric->spreads);
  free(metric->spread_sizes);
}

void metrics_free(struct profile *profile) {
  for (size_t i = 0; i < profile->metric_count; i++)
    metric_free(&profile->metrics[i]);
  free(profile->metrics);
  profile->metrics = NULL;
  profile->metric_count = 0;
}

const char *heap_metric_name(enum heap_area area, enum heap_metric metric) {
  static const char *const names[HEAP_AREAS][HEAP_METRIC_COUNT] = {
      [HEAP_OF_MALLOC] = {"allocations", "allocated", "live", "peak", "temporary"},
      [HEAP_OF_POOLS] = {"pool-allocations", "pool-allocated", "pool-live", "pool-peak",
                         "pool-temporary"},
      [HEAP_OF_MAPPINGS] = {"mappings", "mapped", "mapped-live", "mapped-peak", "mapped-temporary"},
      [HEAP_OF_CLOSURES] = {"closures", "closures-allocated", "closures-live", "closures-peak",
                            "closures-temporary"}};
  return names[area][metric];
}

const char *heap_metric_unit(enum heap_metric metric) {
  return metric == HEAP_ALLOCATIONS || metric == HEAP_TEMPORARY ? "allocations" : "bytes";
}

const char *message_metric_name(enum message_metric metric) {
  static const char *const names[MESSAGE_METRIC_COUNT] = {[MESSAGE_SENT] = "sent",
                                                          [MESSAGE_RECEIVED] = "received",
                                                          [MESSAGE_TIME] = "mpi",
                                                          [MESSAGE_TRANSFER] = "mpi-transfer",
                                                          [MESSAGE_WAITING] = "mpi-waiting",
                                                          [MESSAGE_COLLECTIVE] = "mpi-collective"};
  return names[metric];
}

const char *message_metric_unit(enum message_metric metric) {
  return metric == MESSAGE_SENT || metric == MESSAGE_RECEIVED ? "bytes" : NULL;
}

uint64_t heap_mean(const struct profile *profile) {
  uint64_t mean = 0;
  for (size_t i = 0; i < profile->process_count; i++)
    if (profile->processes[i].heap.mean > mean) mean = profile->processes[i].heap.mean;
  return mean;
}

bool metric_is_of_calls(const struct profile_metric *metric) {
  return metric->kind == METRIC_HEAP || metric->kind == METRIC_MESSAGES;
}

bool metric_is_level(const struct profile_metric *metric) {
  int areas = metric->kind == METRIC_HEAP ? HEAP_AREAS : metric->kind == METRIC_GIVEN ? 1 : 0;
  for (int area = 0; area < areas; area++)
    if (strcmp(metric->name, heap_metric_name(area, HEAP_LIVE)) == 0) return true;
  return false;
}

bool metric_level_ends(const struct profile *profile, const struct profile_metric *metric,
                       size_t row) {
  const struct profile_slice_tick *at = &metric->series[row], *next = at + 1;
  return row + 1 == metric->series_count || next->tick != at->tick ||
         profile->slices[next->slice].process != profile->slices[at->slice].process;
}

uint32_t metrics_find(const struct profile *profile, const char *name) {
  for (size_t i = 0; i < profile->metric_count; i++)
    if (strcmp(profile->metrics[i].name, name) == 0) return (uint32_t)i;
  return NOTHING;
}

const char *metrics_text(const struct profile *profile, struct pool *pool) {
  char *text = memory_text("");
  for (size_t i = 0; i < profile->metric_count; i++) {
    char *longer = memory_printed("%s%s%s", text, i ? ", " : "", profile->metrics[i].name);
    free(text);
    text = longer;
  }
  const char *kept = pool_string(pool, text);
  free(text);
  return kept;
}

static void measures_reach(struct profile_metric *metric, size_t count) {
  while (metric->measure_count < count) {
    struct profile_measure measure = {.process = (uint32_t)metric->measure_count};
    (void)APPENDED(metric->measures, metric->measure_count, measure);
  }
}

struct profile_measure *metrics_measure(struct profile_metric *metric, uint32_t process) {
  measures_reach(metric, (size_t)process + 1);
  return &metric->measures[process];
}

void metrics_charge(struct profile *profile) {
  for (size_t i = 0; i < profile->metric_count; i++) {
    struct profile_metric *metric = &profile->metrics[i];
    measures_reach(metric, profile->process_count);
    free(metric->self);
    metric->self = memory_zeroed(profile->context_count, sizeof *metric->self);
    for (size_t k = 0; k < metric->tick_count; k++) {
      struct amount *self = &metric->self[metric->ticks[k].context];
      *self = amount_sum(*self, metric->ticks[k].amount);
    }
  }
}

void metrics_put_first(struct profile *profile, uint32_t metric) {
  struct profile_metric first = profile->metrics[0];
  if (metric == 0) return;
  profile->metrics[0] = profile->metrics[metric];
  profile->metrics[metric] = first;
  profile_forget_runs(profile);
  for (size_t i = 0; i < profile->process_count; i++)
    profile->processes[i].run = 0;
}

struct profile metric_view(const struct profile *profile, uint32_t metric) {
  struct profile view = *profile;
  view.metric = metric;
  return view;
}
