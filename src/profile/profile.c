#include "profile/profile.h"

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
  free(profile->kinds);
  free(profile->expressions);
  free(profile->line_counts);
  free(profile->copies);
  free(profile->expansions);
  free(profile->call_places);
  free(profile->possible_calls);
  metrics_free(profile);
  costs_free(profile->given);
  free(profile->process_calls);
  free(profile->runs);
  free(profile->run_costs);
  free(profile);
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
