#include "exchange/export_data.h"

#include <stdlib.h>
#include <string.h>

#include "exchange/export_names.h"
#include "exchange/export_remarks.h"

/* Each sample is the difference of two rounded sums, so that no rounding adds up. */
static void make_samples(struct export_data *data) {
  const struct profile *profile = data->profile;
  const struct profile_metric *metric = profile_metric(profile);
  data->samples = memory_zeroed(metric->tick_count, sizeof *data->samples);
  for (size_t i = 0; i < metric->tick_count; i++) {
    const struct profile_tick *tick = &metric->ticks[i];
    const struct profile_context *context = &profile->contexts[tick->context];
    if (!data->selected[tick->context] || !context->length) continue;
    uint64_t before = data->ns;
    data->all = amount_sum(data->all, tick->amount);
    data->ns = books_ns(&data->books, data->all);
    data->samples[data->sample_count++] =
        (struct export_sample){.thread = context->thread,
                               .context = export_context(data, tick),
                               .line = tick->line,
                               .stack = tick->stack,
                               .amount = tick->amount,
                               .ns = data->ns - before};
  }
}

static void take_given(struct export_data *data) {
  data->all = data->profile->given->self;
  data->ns = books_ns(&data->books, data->all);
}

static bool *find_programs(const struct profile *profile) {
  bool *is_program = memory_zeroed(profile->object_count, sizeof *is_program);
  for (size_t i = 0; i < profile->object_count; i++)
    for (size_t process = 0; process < profile->process_count && !is_program[i]; process++)
      is_program[i] = process_runs(&profile->processes[process], &profile->objects[i]);
  return is_program;
}

void export_data_open(struct export_data *data, const struct profile *profile,
                      const struct export_options *options) {
  *data = (struct export_data){.profile = profile, .options = options, .pool = pool_create()};
  books_make(profile, &data->books);
  run_make(profile, &data->run);
  data->stacks = options->centres ? profile->centres : profile;
  data->names = export_names(data->stacks, data->pool);
  data->selected = costs_select(profile, &options->selection);
  data->is_program = find_programs(profile);
  if (profile->given)
    take_given(data);
  else
    make_samples(data);
  const struct profile_metric *metric = profile_metric(profile);
  data->unit = metric->unit ? export_clean(data->pool, metric->unit) : NULL;
  data->event = export_clean(data->pool, metric->name);
  data->title = export_clean(data->pool, data->run.command);
  export_remarks(data, data->remarks);
}

uint32_t export_context(const struct export_data *data, const struct profile_tick *tick) {
  return data->options->centres ? tick->centre : tick->context;
}

bool export_counts(const struct export_data *data, const struct profile_transition *transition) {
  const struct selection *selection = &data->options->selection;
  uint32_t thread = data->stacks->contexts[transition->to].thread;
  if (!data->options->centres) return data->selected[transition->to];
  return !selection->focus_count && costs_thread_selected(data->profile, selection, thread);
}

static void close_holes(struct stack_path *path) {
  size_t left = 0;
  for (size_t i = 0; i < path->length; i++)
    if (path->frames[i].function != PATH_HOLE) path->frames[left++] = path->frames[i];
  path->length = left;
}

void export_path_of_context(const struct export_data *data, uint32_t context,
                            struct stack_path *path) {
  stack_path_of_context(path, data->stacks, context);
  if (data->options->centres) close_holes(path);
}

void export_path(const struct export_data *data, const struct export_sample *sample,
                 struct stack_path *path) {
  bool whole = sample->stack != NOTHING && sample->line != NOTHING;
  path->length = 0;
  if (sample->context == NOTHING) return;
  if (whole && !data->options->centres)
    stack_path_of_stack(path, data->profile, sample->stack, sample->line);
  else
    export_path_of_context(data, sample->context, path);
}

enum site_counts export_site_counts(const struct export_data *data) {
  const struct selection *selection = &data->options->selection;
  if (!data->profile->count_count) return SITE_COUNTS_NONE;
  bool known = !selection->focus_count && selection->thread == NOTHING;
  return known ? SITE_COUNTS_KNOWN : SITE_COUNTS_UNKNOWN;
}

void export_data_close(struct export_data *data) {
  free(data->names);
  free(data->selected);
  free(data->is_program);
  free(data->samples);
  pool_free(data->pool);
}
