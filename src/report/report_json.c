/* The report for machines: one object, whole; the keys are in docs/PROFILE.md. */
#include <stdlib.h>

#include "attribution/cycles.h"
#include "attribution/misled.h"
#include "base/json.h"
#include "recording/history.h"
#include "report/json_parts.h"
#include "report/json_values.h"
#include "report/model.h"

/* Histories as in the file: ids of functions, negative where the entry is not marked. */
static void write_contexts(struct json *json, const struct report_model *model) {
  const struct profile *profile = model->profile;
  bool *selected = costs_select(profile, &model->options->selection);
  json_open(json, "contexts", '[');
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    struct amount self = context_self(profile, i);
    if (!selected[i] || !self.raw_ns) continue;
    json_open(json, NULL, '{');
    json_id(json, "id", i);
    json_id(json, "thread", context->thread);
    json_estimate(json, "self_ns", "self_uncertainty_ns", model_estimate(model, self));
    json_open(json, "history", '[');
    for (uint32_t entry = 0; entry < context->length; entry++) {
      int64_t id = (int64_t)history_function(context->history[entry]) + 1;
      json_integer(json, NULL, history_marked(context->history[entry]) ? id : -id);
    }
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
  free(selected);
}

static void write_cycles(struct json *json, const struct report_model *model) {
  struct cycles *cycles = cycles_find(model->profile, &model->options->selection);
  json_open(json, "cycles", '[');
  for (size_t i = 0; i < cycles->count; i++) {
    const struct cycle *cycle = &cycles->list[i];
    json_open(json, NULL, '{');
    cycle->calls ? json_number(json, "calls", cycle->calls) : json_null(json, "calls");
    cycle->calls ? json_null(json, "ticks") : json_number(json, "ticks", cycle->ticks);
    json_open(json, "functions", '[');
    for (uint32_t member = 0; member < cycle->length; member++)
      json_id(json, NULL, cycle->functions[member]);
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
  json_number(json, "calls_of_other_cycles", cycles->more_calls);
  cycles_free(cycles);
}

static void write_misled(struct json *json, const struct report_model *model) {
  size_t count;
  struct misled *list =
      misled_find(model->profile, model->costs, &model->options->selection, &model->books, &count);
  json_open(json, "misled", '[');
  for (size_t i = 0; i < count; i++) {
    const struct misled *misled = &list[i];
    bool is_arc = misled->function == NOTHING;
    const struct arc_cost *arc = is_arc ? &model->costs->arcs[misled->arc] : NULL;
    json_open(json, NULL, '{');
    json_id(json, "function", misled->function);
    json_id(json, "caller", is_arc ? arc->caller : NOTHING);
    json_id(json, "callee", is_arc ? arc->callee : NOTHING);
    json_estimate(json, "total_ns", "uncertainty_ns", misled->truth);
    json_number(json, "gprof_ns", misled->assumed_ns);
    json_flag(json, "in_cycle", misled->in_cycle);
    json_close(json, '}');
  }
  json_close(json, ']');
  free(list);
}

void report_json(const struct profile *profile, const struct report_options *options, FILE *out) {
  struct json json = {.out = out, .first = true};
  struct report_model *model = model_open(profile, options);
  json_open(&json, NULL, '{');
  json_run(&json, model);
  json_selection(&json, model);
  json_programs(&json, profile);
  json_views(&json, model);
  if (options->parts & REPORT_CALLS && options->calls) json_calls(&json, model);
  if (options->parts & REPORT_SOURCE && options->source) json_source(&json, model);
  if (options->parts & REPORT_ASM && options->assembly) json_asm(&json, model);
  if (options->parts & (REPORT_RUNS | REPORT_RANKS) && profile->run_count)
    json_runs(&json, profile);
  bool contexts = !profile->given;
  if (contexts && options->parts & REPORT_CONTEXTS) write_contexts(&json, model);
  if (contexts && options->parts & REPORT_CYCLES) write_cycles(&json, model);
  if (contexts && options->parts & REPORT_MISLED) write_misled(&json, model);
  json_close(&json, '}');
  fputc('\n', out);
  model_close(model);
}
