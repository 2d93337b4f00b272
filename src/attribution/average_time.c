#include "attribution/average_time.h"

#include <stdlib.h>

/* Own time, with that of the code without hooks that it called. */
static double *own_times(const struct profile *profile, const struct costs *costs) {
  double *own = memory_zeroed(profile->function_count, sizeof *own);
  for (size_t i = 0; i < profile->function_count; i++)
    if (profile->functions[i].kind != FUNCTION_SAMPLED) own[i] = costs->functions[i].self.raw_ns;
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (!arc_counted(profile, arc) && arc->caller != NOTHING)
      own[arc->caller] += arc->in_self.raw_ns;
  }
  return own;
}

/* Callees come before their callers in the order of components, so every component's time is
 * complete when it is passed on. */
static void propagate(struct average_time *average, const struct costs *costs, const double *own,
                      size_t functions) {
  const struct components *components = &average->components;
  double *whole = memory_zeroed(components->count, sizeof *whole);
  double *calls = memory_zeroed(components->count, sizeof *calls);
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    uint32_t into = components->of[arc->callee];
    if (arc->caller == NOTHING || components->of[arc->caller] != into) calls[into] += arc->calls;
  }
  for (size_t i = 0; i < functions; i++) {
    uint32_t function = components->order[i], component = components->of[function];
    average->total[function] += own[function];
    for (size_t a = components->first_arc[function]; a < components->first_arc[function + 1]; a++) {
      uint32_t id = components->by_caller[a], into = components->of[costs->arcs[id].callee];
      if (into == component) continue;
      average->arc[id] = whole[into] * costs->arcs[id].calls / calls[into];
      average->total[function] += average->arc[id];
    }
    whole[component] += average->total[function];
  }
  free(whole);
  free(calls);
}

struct average_time *average_time_compute(const struct profile *profile,
                                          const struct costs *costs) {
  struct average_time *average = memory_zeroed(1, sizeof *average);
  average->total = memory_zeroed(profile->function_count, sizeof *average->total);
  average->arc = memory_zeroed(costs->arc_count, sizeof *average->arc);
  components_find(profile, costs, &average->components);
  double *own = own_times(profile, costs);
  propagate(average, costs, own, profile->function_count);
  free(own);
  return average;
}

void average_time_free(struct average_time *average) {
  if (!average) return;
  free(average->total);
  free(average->arc);
  components_free(&average->components);
  free(average);
}
