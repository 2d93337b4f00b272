#include "profile/profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "profile/cost_figures.h"

struct profile *profile_create(void) {
  struct profile *profile = memory_zeroed(1, sizeof *profile);
  profile->pool = pool_create();
  profile->centres = memory_zeroed(1, sizeof *profile->centres);
  profile->centres->pool = profile->pool;
  profile->version = ASCRIBE_VERSION;
  metrics_add(profile, METRIC_CPU, "cpu", NULL);
  return profile;
}

static void free_centres(struct profile *centres) {
  if (!centres) return;
  free(centres->functions);
  free(centres->contexts);
  free(centres->transitions);
  free(centres->slice_entries);
  free(centres);
}

void profile_free(struct profile *profile) {
  if (!profile) return;
  free_centres(profile->centres);
  pool_free(profile->pool);
  free(profile->objects);
  free(profile->functions);
  free(profile->processes);
  free(profile->threads);
  free(profile->contexts);
  free(profile->sites);
  free(profile->transitions);
  free(profile->counts);
  free(profile->static_arcs);
  free(profile->lines);
  free(profile->stacks);
  free(profile->slices);
  free(profile->marks);
  free(profile->kinds);
  free(profile->expressions);
  free(profile->line_counts);
  free(profile->copies);
  free(profile->expansions);
  free(profile->messages);
  free(profile->message_ends);
  free(profile->message_delays);
  free(profile->call_places);
  free(profile->possible_calls);
  metrics_free(profile);
  costs_free(profile->given);
  free(profile->process_calls);
  free(profile->runs);
  free(profile->run_costs);
  free(profile);
}

/* ---- a duplicate ---- */

static void *duplicate(const void *items, size_t count, size_t size) {
  if (!items) return NULL;
  void *made = memory_resized(NULL, count ? count : 1, size);
  memcpy(made, items, count * size);
  return made;
}

#define DUPLICATE(items, count) ((items) = duplicate((items), (count), sizeof *(items)))

static struct profile *duplicate_centres(const struct profile *centres, struct pool *pool) {
  struct profile *made = duplicate(centres, 1, sizeof *made);
  if (!made) return NULL;
  made->pool = pool;
  DUPLICATE(made->functions, made->function_count);
  DUPLICATE(made->contexts, made->context_count);
  DUPLICATE(made->transitions, made->transition_count);
  DUPLICATE(made->slice_entries, made->slice_entry_count);
  return made;
}

static void duplicate_metric(struct profile_metric *metric, size_t context_count) {
  DUPLICATE(metric->ticks, metric->tick_count);
  DUPLICATE(metric->instructions, metric->instruction_count);
  DUPLICATE(metric->measures, metric->measure_count);
  DUPLICATE(metric->self, context_count);
  DUPLICATE(metric->series, metric->series_count);
  DUPLICATE(metric->spreads, metric->spread_count);
  DUPLICATE(metric->spread_sizes, metric->spread_size_count);
}

struct profile *profile_duplicate(const struct profile *profile) {
  struct profile *made = duplicate(profile, 1, sizeof *made);
  assert(!profile->given);
  made->pool = pool_create();
  made->centres = duplicate_centres(profile->centres, made->pool);
  DUPLICATE(made->objects, made->object_count);
  DUPLICATE(made->functions, made->function_count);
  DUPLICATE(made->processes, made->process_count);
  DUPLICATE(made->threads, made->thread_count);
  DUPLICATE(made->contexts, made->context_count);
  DUPLICATE(made->sites, made->site_count);
  DUPLICATE(made->transitions, made->transition_count);
  DUPLICATE(made->counts, made->count_count);
  DUPLICATE(made->static_arcs, made->static_arc_count);
  DUPLICATE(made->lines, made->line_count);
  DUPLICATE(made->stacks, made->stack_count);
  DUPLICATE(made->slices, made->slice_count);
  DUPLICATE(made->marks, made->mark_count);
  DUPLICATE(made->kinds, made->kind_count);
  DUPLICATE(made->expressions, made->expression_count);
  DUPLICATE(made->line_counts, made->line_count_count);
  DUPLICATE(made->copies, made->copy_count);
  DUPLICATE(made->expansions, made->expansion_count);
  DUPLICATE(made->messages, made->message_count);
  DUPLICATE(made->message_ends, made->message_end_count);
  DUPLICATE(made->message_delays, made->message_delay_count);
  DUPLICATE(made->call_places, made->call_place_count);
  DUPLICATE(made->possible_calls, made->possible_call_count);
  DUPLICATE(made->process_calls, made->process_count);
  DUPLICATE(made->runs, made->run_count);
  DUPLICATE(made->run_costs, made->run_cost_count);
  DUPLICATE(made->metrics, made->metric_count);
  for (size_t i = 0; i < made->metric_count; i++)
    duplicate_metric(&made->metrics[i], made->context_count);
  return made;
}

void profile_forget_spreads(struct profile *profile) {
  for (size_t i = 0; i < profile->metric_count; i++)
    profile->metrics[i].spread_count = profile->metrics[i].spread_size_count = 0;
}

void profile_forget_runs(struct profile *profile) {
  free(profile->runs);
  free(profile->run_costs);
  profile->runs = NULL;
  profile->run_costs = NULL;
  profile->run_count = profile->run_cost_count = 0;
  profile_forget_spreads(profile);
}

bool process_runs(const struct profile_process *process, const struct profile_object *object) {
  return object->kind == OBJECT_FILE && strcmp(object->path, process->executable) == 0;
}

bool profile_stacks_known(const struct profile *profile) {
  const struct profile_metric *metric = profile_metric(profile);
  for (size_t i = 0; i < metric->tick_count; i++)
    if (metric->ticks[i].stack == NOTHING) return false;
  return metric->tick_count;
}

const char *counted_program_name(uint32_t counted) {
  static const char *const names[] = {NULL, "optimized", "source", "both"};
  return names[counted & (COUNTED_OPTIMIZED | COUNTED_AS_WRITTEN)];
}
