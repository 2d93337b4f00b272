#include "attribution/average_time.h"

#include <stdlib.h>
#include <string.h>

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
    if (function != NOTHING) own[function] += profile->contexts[i].self.raw_ns;
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

static void add_calls(struct average_time *average, const struct costs *costs,
                      uint32_t spontaneous) {
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    if (!arc->calls) continue;
    uint32_t caller = arc->caller == NOTHING ? spontaneous : arc->caller;
    average->arc_of[i] = (uint32_t)average->graph.arc_count;
    average->graph.nodes[arc->callee].calls += arc->calls;
    call_graph_call(&average->graph, caller, arc->callee, arc->calls);
  }
}

struct average_time *average_time_compute(const struct profile *profile, const struct costs *costs,
                                          const struct selection *selection) {
  struct average_time *average = memory_zeroed(1, sizeof *average);
  average->arc_of = memory_zeroed(costs->arc_count, sizeof *average->arc_of);
  memset(average->arc_of, 0xff, costs->arc_count * sizeof *average->arc_of); /* NOTHING */
  double *own = own_times(profile, costs, selection);
  add_functions(average, profile, own);
  add_calls(average, costs, (uint32_t)profile->function_count);
  call_graph_propagate(&average->graph, NULL);
  free(own);
  return average;
}

double average_time_of(const struct average_time *average, uint32_t function) {
  const struct graph_node *node = &average->graph.nodes[function];
  return node->self + node->child;
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
  free(average);
}
