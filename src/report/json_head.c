/* What the JSON report is of: the run, its programs, and what of it was asked for. */
#include "attribution/interval.h"
#include "attribution/process_groups.h"
#include "profile/drops.h"
#include "report/json_parts.h"
#include "report/json_values.h"

void json_run(struct json *json, const struct report_model *model) {
  const struct run *run = &model->run;
  const struct books *books = &model->books;
  char hooks[HOOKS_TEXT_BYTES];
  hooks_text(run->hooks, hooks);
  json_open(json, "run", '{');
  json_text(json, "version", model->profile->version);
  json_text(json, "command", run->command);
  json_text(json, "directory", run->directory);
  json_text(json, "host", run->host);
  json_number(json, "started_ns", run->started_ns);
  json_number(json, "ended_ns", run->ended_ns);
  if (model->profile->interval.to_ns) {
    json_open(json, "interval", '{');
    json_number(json, "from_ns", model->profile->interval.from_ns);
    json_number(json, "to_ns", interval_last(model->profile));
    json_close(json, '}');
  }
  json_text(json, "hooks", hooks);
  json_text(json, "clock", clock_text(run->tick_source));
  json_number(json, "rate_hz", run->rate_hz);
  json_number(json, "ticks", books->all.ticks);
  json_number(json, "lost_ticks", run->lost_ticks);
  json_number(json, "user_ns", books->user_ns);
  json_number(json, "system_ns", books->system_ns);
  json_number(json, "sampled_ns", books->sampled_ns);
  json_estimate(json, "kernel_ns", "kernel_uncertainty_ns", books_kernel_estimate(books));
  json_number(json, "whole_ns", books_whole_ns(books));
  json_number(json, "unsampled_ns", books->unsampled_ns);
  json_number(json, "paused_ns", books->paused_ns);
  json_number(json, "unknown_ns", books->unknown_ns);
  json_number(json, "charged_low_ns", books_charged_ns(books).low);
  json_number(json, "charged_high_ns", books_charged_ns(books).high);
  json_estimate(json, "profiler_ns", "profiler_uncertainty_ns",
                model_estimate(model, books->profiler));
  json_number(json, "hooks_low_ns", books->hooks.low);
  json_number(json, "hooks_high_ns", books->hooks.high);
  json_number(json, "handlers_ns", books->handlers_ns);
  json_number(json, "recorder_ns", books->recorder_ns);
  json_flag(json, "of_waiting", model_is_of_waiting(model));
  json_number(json, "lived_ns", books->lived_ns);
  json_number(json, "ready_ns", books->ready_ns);
  json_number(json, "waited_ns", books->waited_ns);
  json_number(json, "dropped_ns", books_ns(books, books->dropped));
  json_number(json, "calls", books->calls);
  json_open(json, "dropped", '{');
  for (int kind = 0; kind < DROP_KINDS; kind++)
    json_number(json, drop_names[kind].key, run->drops[kind]);
  json_close(json, '}');
  json_close(json, '}');
}

/* Null: all. */
static void write_selected_processes(struct json *json, const struct profile *profile,
                                     const struct selection *selection) {
  if (!selection->processes) {
    json_null(json, "processes");
    return;
  }
  json_open(json, "processes", '[');
  for (size_t i = 0; i < profile->process_count; i++)
    if (selection->processes[i]) json_id(json, NULL, i);
  json_close(json, ']');
}

void json_selection(struct json *json, const struct report_model *model) {
  const struct selection *selection = &model->options->selection;
  json_open(json, "selection", '{');
  json_open(json, "focus", '[');
  for (size_t i = 0; i < selection->focus_count; i++)
    json_number(json, NULL, (uint64_t)selection->focus[i] + 1);
  json_close(json, ']');
  json_id(json, "thread", selection->thread);
  write_selected_processes(json, model->profile, selection);
  json_estimate(json, "self_ns", "self_uncertainty_ns", model_estimate(model, model->costs->self));
  json_close(json, '}');
}

void json_programs(struct json *json, const struct profile *profile) {
  struct process_groups *groups = process_groups_find(profile, NULL);
  json_open(json, "programs", '[');
  for (size_t i = 0; i < groups->count; i++) {
    const struct process_group *group = &groups->list[i];
    json_open(json, NULL, '{');
    json_text(json, "name", group->name);
    json_number(json, "user_ns", group->user_ns);
    json_number(json, "system_ns", group->system_ns);
    json_open(json, "processes", '[');
    for (size_t member = 0; member < group->count; member++)
      json_id(json, NULL, group->processes[member]);
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
  process_groups_free(groups);
}
