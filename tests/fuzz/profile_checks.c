#include "profile_checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "attribution/costs.h"
#include "attribution/counts/line_counts.h"
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
    }
    for (size_t i = 0; i < metric->instruction_count; i++)
      require(metric->instructions[i].line < profile->line_count);
  }
}

/* Each function is marked once at most, and the running one is. */
static void check_histories(const struct profile *profile) {
  uint32_t *marked = memory_zeroed(profile->function_count, sizeof *marked);
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    require(context->thread < profile->thread_count);
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

static void check_costs(const struct profile *profile) {
  struct costs *costs = costs_compute(profile, NULL);
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct function_cost *cost = &costs->functions[i];
    sum += cost->self.raw_ns;
    require(!costs_total_known(profile, costs, i) || cost->total.raw_ns <= costs->self.raw_ns);
    require(cost->self.raw_ns <= cost->total.raw_ns);
  }
  require(sum == costs->self.raw_ns);
  costs_free(costs);
}

void check_profile(const struct profile *profile) {
  check_ids(profile);
  check_histories(profile);
  check_costs(profile);
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
