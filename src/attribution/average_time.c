#include "attribution/average_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

/* The counted function that a context's time is charged to: what it called in code without hooks is
 * its own. NOTHING: there is none. */
static uint32_t innermost_counted(const struct profile *profile,
                                  const struct profile_context *context) {
  for (uint32_t i = context->length; i > 0; i--) {
    uint32_t function = context->history[i - 1] >> 1;
    if (profile->functions[function].kind != FUNCTION_SAMPLED) return function;
  }
  return NOTHING;
}

static double *own_times(const struct profile *profile, const struct costs *costs,
                         const struct selection *selection) {
  double *own = memory_zeroed(profile->function_count, sizeof *own);
  for (size_t i = 0; profile->given && i < profile->function_count; i++)
    if (profile->functions[i].kind != FUNCTION_SAMPLED) own[i] = costs->functions[i].self.raw_ns;
  if (profile->given) return own;
  bool *selected = costs_select(profile, selection);
  for (size_t i = 0; i < profile->context_count; i++) {
    uint32_t function = selected[i] ? innermost_counted(profile, &profile->contexts[i]) : NOTHING;
    if (function != NOTHING) own[function] += context_self(profile, i).raw_ns;
  }
  free(selected);
  return own;
}

static void add_functions(struct average_time *average, const struct profile *profile,
                          const double *own) {
  for (size_t i = 0; i < profile->function_count; i++)
    call_graph_add(&average->graph,
                   (struct graph_node){.name = profile->functions[i].name, .self = own[i]});
  call_graph_add(&average->graph, (struct graph_node){.name = "<spontaneous>"});
}

/* Calls between functions as they were compiled. */
struct compiled_calls {
  struct map arcs; /* (caller, callee) -> index in the list */
  struct graph_arc *list;
  bool *merged; /* calls of inlined code came or went */
  size_t count;
};

static uint32_t compiled_arc(struct compiled_calls *calls, uint32_t caller, uint32_t callee) {
  uint64_t key = (uint64_t)caller << 32 | callee;
  uint32_t id = map_find_or_add(&calls->arcs, key, 0, calls->count);
  if (id != calls->count) return id;
  ARRAY_GROW(calls->list, calls->count);
  ARRAY_GROW(calls->merged, calls->count);
  calls->merged[id] = false;
  calls->list[calls->count++] = (struct graph_arc){.caller = caller, .callee = callee};
  return id;
}

static void move_inlined(struct compiled_calls *calls, const struct profile_site *site,
                         uint64_t count) {
  if (site->caller != site->callee) {
    uint32_t from = compiled_arc(calls, site->caller, site->callee);
    calls->list[from].calls -= count;
    calls->merged[from] = true;
  }
  uint32_t caller = site_compiled_caller(site);
  if (caller == site->callee) return;
  uint32_t to = compiled_arc(calls, caller, site->callee);
  calls->list[to].calls += count;
  calls->merged[to] = true;
}

static void add_calls(struct average_time *average, const struct profile *profile,
                      const struct costs *costs, uint32_t spontaneous) {
  struct compiled_calls calls = {0};
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (!arc->calls) continue;
    uint32_t caller = arc->caller == NOTHING ? spontaneous : arc->caller;
    average->arc_of[i] = compiled_arc(&calls, caller, arc->callee);
    calls.list[average->arc_of[i]].calls = arc->calls;
  }
  for (size_t i = 0; costs->site_calls && i < profile->site_count; i++)
    if (costs->site_calls[i] &&
        site_compiled_caller(&profile->sites[i]) != profile->sites[i].caller)
      move_inlined(&calls, &profile->sites[i], costs->site_calls[i]);
  uint32_t *number = memory_zeroed(calls.count, sizeof *number);
  for (size_t i = 0; i < calls.count; i++) {
    number[i] = (uint32_t)average->graph.arc_count;
    if (!calls.list[i].calls) continue;
    average->graph.nodes[calls.list[i].callee].calls += calls.list[i].calls;
    call_graph_call(&average->graph, calls.list[i].caller, calls.list[i].callee,
                    calls.list[i].calls);
  }
  for (size_t i = 0; i < costs->arc_count; i++) {
    uint32_t id = average->arc_of[i];
    if (id == NOTHING) continue;
    average->merged[i] = calls.merged[id];
    average->arc_of[i] = calls.list[id].calls ? number[id] : NOTHING;
  }
  free(number);
  map_free(&calls.arcs);
  free(calls.list);
  free(calls.merged);
}

struct average_time *average_time_compute(const struct profile *profile, const struct costs *costs,
                                          const struct selection *selection) {
  struct average_time *average = memory_zeroed(1, sizeof *average);
  average->arc_of = memory_zeroed(costs->arc_count, sizeof *average->arc_of);
  average->merged = memory_zeroed(costs->arc_count, sizeof *average->merged);
  memset(average->arc_of, 0xff, costs->arc_count * sizeof *average->arc_of); /* NOTHING */
  double *own = own_times(profile, costs, selection);
  add_functions(average, profile, own);
  add_calls(average, profile, costs, (uint32_t)profile->function_count);
  call_graph_propagate(&average->graph, NULL);
  free(own);
  return average;
}

double average_time_of(const struct average_time *average, uint32_t function) {
  const struct graph_node *node = &average->graph.nodes[function];
  return node->self + node->child;
}

bool average_time_stands_for_total(const struct profile *profile, const struct costs *costs,
                                   uint32_t function) {
  uint32_t object = profile->functions[function].object;
  return profile->possible_call_count && object != NOTHING &&
         profile->objects[object].kind == OBJECT_WORLD &&
         !costs_total_known(profile, costs, function);
}

double average_time_of_arc(const struct average_time *average, uint32_t arc) {
  uint32_t id = average->arc_of[arc];
  if (id == NOTHING) return 0;
  return average->graph.arcs[id].self + average->graph.arcs[id].child;
}

void average_time_free(struct average_time *average) {
  if (!average) return;
  call_graph_free(&average->graph);
  free(average->arc_of);
  free(average->merged);
  free(average);
}
