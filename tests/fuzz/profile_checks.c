#include "profile_checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "attribution/centre_costs.h"
#include "attribution/costs.h"
#include "attribution/counts/line_counts.h"
#include "attribution/derived_centres.h"
#include "attribution/interval.h"
#include "recording/history.h"
#include "report/report.h"
#include "report/terminal.h"
#include "require.h"

static void check_ids(const struct profile *profile) {
  for (size_t i = 0; i < profile->function_count; i++) {
    require(profile->functions[i].name != NULL);
    uint32_t object = profile->functions[i].object;
    require(object == NOTHING || object < profile->object_count);
  }
  for (size_t i = 0; i < profile->line_count; i++)
    require(profile->lines[i].function < profile->function_count);
  for (size_t i = 0; i < profile->thread_count; i++)
    require(profile->threads[i].process < profile->process_count);
  for (size_t i = 0; i < profile->expression_count; i++) {
    require(profile->expressions[i].function < profile->function_count);
    require(profile->expressions[i].file != NULL);
  }
  for (size_t i = 0; i < profile->line_count_count; i++) {
    const struct profile_line_count *line = &profile->line_counts[i];
    require(line->file && line->line && line->function < profile->function_count);
    require(i == 0 || line_counts_compare(line - 1, line) < 0);
    require(line->share == LINE_NO_SHARE || line->share <= INT64_MAX);
  }
  require(profile->metric_count > 0 && profile->metric_count <= METRICS_MOST);
  for (size_t k = 0; k < profile->metric_count; k++) {
    const struct profile_metric *metric = &profile->metrics[k];
    require(metric->name && metric->measure_count == profile->process_count);
    for (size_t i = 0; i < metric->tick_count; i++) {
      const struct profile_tick *tick = &metric->ticks[i];
      require(tick->context < profile->context_count && tick->line < profile->line_count);
      require(tick->stack == NOTHING || tick->stack < profile->stack_count);
      require(tick->centre == NOTHING || tick->centre < profile->centres->context_count);
    }
    for (size_t i = 0; i < metric->instruction_count; i++)
      require(metric->instructions[i].line < profile->line_count);
    for (size_t i = 0; i < metric->series_count; i++) {
      const struct profile_slice_tick *part = &metric->series[i];
      require(part->slice < profile->slice_count && part->tick < metric->tick_count);
      require(part->instruction == NOTHING || part->instruction < metric->instruction_count);
    }
  }
  for (size_t i = 0; i < profile->slice_count; i++) {
    const struct profile_slice *slice = &profile->slices[i];
    require(slice->process < profile->process_count && slice->start_ns <= slice->end_ns);
    bool follows = i && slice[-1].process == slice->process;
    require(!follows || slice[-1].start_ns <= slice->start_ns);
  }
}

/* Each function is marked once at most, and the running one is. */
static void check_histories(const struct profile *profile, size_t threads) {
  uint32_t *marked = memory_zeroed(profile->function_count, sizeof *marked);
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    require(context->thread < threads);
    for (uint32_t entry = 0; entry < context->length; entry++) {
      uint32_t function = history_function(context->history[entry]);
      require(function < profile->function_count);
      if (!history_marked(context->history[entry])) continue;
      require(marked[function] != i + 1);
      marked[function] = i + 1;
    }
    require(!context->length || history_marked(context->history[context->length - 1]));
  }
  free(marked);
}

static void check_sums(const struct profile *profile, const struct costs *costs) {
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct function_cost *cost = &costs->functions[i];
    sum += cost->self.raw_ns;
    require(!costs_total_known(profile, costs, i) || cost->total.raw_ns <= costs->self.raw_ns);
    require(cost->self.raw_ns <= cost->total.raw_ns);
  }
  require(sum == costs->self.raw_ns);
}

static void check_costs(const struct profile *profile) {
  struct costs *costs = costs_compute(profile, NULL);
  check_sums(profile, costs);
  costs_free(costs);
}

static void check_centres(const struct profile *profile) {
  struct centre_costs *costs = centre_costs_make(profile, NULL);
  check_histories(profile->centres, profile->thread_count);
  check_sums(&costs->view, costs->costs);
  uint64_t sum = 0;
  for (size_t i = 0; i < costs->function_count; i++)
    sum += costs->functions[i].self.raw_ns;
  require(sum == costs->costs->self.raw_ns + costs->outside.raw_ns);
  centre_costs_free(costs);
}

void check_profile(const struct profile *profile) {
  check_ids(profile);
  check_histories(profile, profile->thread_count);
  check_costs(profile);
  check_centres(profile);
}

void check_reports(const struct profile *profile) {
  const struct report_options options = {.parts = ~0u, .selection.thread = NOTHING};
  FILE *out = fopen("/dev/null", "w");
  require(out != NULL);
  report_summary(profile, out);
  report_print(profile, &options, &(struct terminal){.width = 80}, out);
  report_json(profile, &options, out);
  fclose(out);
}

void check_parts(struct profile *profile) {
  struct profile_interval interval = {0, interval_last(profile) / 2 + 1};
  const struct centre_rules rules = {.rule = CENTRES_OBJECTS};
  if (interval_take(profile, interval, NULL) == 0) check_profile(profile);
  if (derived_centres_make(profile, &rules, NULL) == 0) check_profile(profile);
  check_reports(profile);
}
