#include "attribution/call_graph.h"

#include <stdlib.h>

#include "attribution/components.h"

struct propagation {
  struct call_graph *graph;
  const struct graph_filter *filter;
  struct components components;
  size_t *first_caller; /* by function: where its arcs begin in by_callee; one more at the end */
  uint32_t *by_callee;
};

uint32_t call_graph_add(struct call_graph *graph, struct graph_node node) {
  ARRAY_GROW(graph->nodes, graph->node_count);
  graph->nodes[graph->node_count] = node;
  graph->function_count++;
  return graph->node_count++;
}

void call_graph_call(struct call_graph *graph, uint32_t caller, uint32_t callee, uint64_t calls) {
  ARRAY_GROW(graph->arcs, graph->arc_count);
  graph->arcs[graph->arc_count++] =
      (struct graph_arc){.caller = caller, .callee = callee, .calls = calls};
}

uint32_t call_graph_whole(const struct call_graph *graph, uint32_t node) {
  uint32_t cycle = graph->nodes[node].cycle;
  return cycle ? graph->function_count + cycle - 1 : node;
}

bool graph_chosen(const struct graph_choice *choice, uint32_t function) {
  if (choice->included) return choice->included[function];
  return !(choice->excluded && choice->excluded[function]);
}

static bool named(const bool *names, uint32_t function) {
  return names && names[function];
}

/* ---- cycles ---- */

static void find_components(struct propagation *propagation) {
  const struct call_graph *graph = propagation->graph;
  struct component_arc *arcs = memory_zeroed(graph->arc_count, sizeof *arcs);
  for (size_t i = 0; i < graph->arc_count; i++)
    arcs[i] = (struct component_arc){graph->arcs[i].caller, graph->arcs[i].callee};
  components_of_arcs(graph->function_count, arcs, graph->arc_count, &propagation->components);
  free(arcs);
}

static void group_by_callee(struct propagation *propagation) {
  const struct call_graph *graph = propagation->graph;
  size_t *first = memory_zeroed(graph->function_count + 2, sizeof *first);
  propagation->by_callee = memory_zeroed(graph->arc_count, sizeof *propagation->by_callee);
  for (size_t i = 0; i < graph->arc_count; i++)
    first[graph->arcs[i].callee + 2]++;
  for (size_t i = 0; i < graph->function_count; i++)
    first[i + 2] += first[i + 1];
  for (size_t i = 0; i < graph->arc_count; i++)
    propagation->by_callee[first[graph->arcs[i].callee + 1]++] = i;
  propagation->first_caller = first;
}

/* Cycles are numbered in the order of their first functions. */
static void make_cycles(struct propagation *propagation) {
  struct call_graph *graph = propagation->graph;
  const struct components *components = &propagation->components;
  uint32_t *cycle_of = memory_zeroed(components->count, sizeof *cycle_of); /* numbers; 0: none */
  uint32_t cycles = 0;
  for (uint32_t i = 0; i < graph->function_count; i++) {
    uint32_t component = components->of[i];
    graph->nodes[i].rank = component;
    if (components->members[component] < 2) continue;
    if (!cycle_of[component]) {
      cycle_of[component] = ++cycles;
      ARRAY_GROW(graph->nodes, graph->node_count);
      graph->nodes[graph->node_count++] = (struct graph_node){.cycle = cycles, .rank = component};
    }
    graph->nodes[i].cycle = cycle_of[component];
  }
  free(cycle_of);
}

/* Calls of itself are a function's recursive ones; of members of its cycle, the cycle's. */
static void sort_calls(struct call_graph *graph) {
  for (size_t i = 0; i < graph->arc_count; i++) {
    const struct graph_arc *arc = &graph->arcs[i];
    struct graph_node *callee = &graph->nodes[arc->callee];
    uint32_t whole = call_graph_whole(graph, arc->callee);
    if (arc->caller == arc->callee) {
      callee->recursive = arc->calls;
      callee->calls -= arc->calls;
    } else if (whole != arc->callee && whole == call_graph_whole(graph, arc->caller)) {
      graph->nodes[whole].recursive += arc->calls;
    } else if (whole != arc->callee) {
      graph->nodes[whole].calls += arc->calls;
    }
  }
}

/* ---- what is shown ---- */

/* From its callers a function inherits whether it is listed, and the part of its time that counts:
 * one that only hidden functions call is hidden.  Callers in its own cycle say nothing. */
static void inherit(struct propagation *propagation, uint32_t function, struct graph_node *heir,
                    uint64_t calls) {
  struct call_graph *graph = propagation->graph;
  for (size_t a = propagation->first_caller[function]; a < propagation->first_caller[function + 1];
       a++) {
    const struct graph_arc *arc = &graph->arcs[propagation->by_callee[a]];
    const struct graph_node *caller = &graph->nodes[arc->caller];
    if (caller->rank == heir->rank) continue;
    heir->listed |= caller->listed;
    if (calls) heir->share += caller->share * ((double)arc->calls / (double)calls);
  }
}

static void choose(struct propagation *propagation, uint32_t function) {
  const struct graph_choice *listed = &propagation->filter->listed;
  const struct graph_choice *timed = &propagation->filter->timed;
  struct graph_node *node = &propagation->graph->nodes[function];
  if (!node->listed)
    node->listed = graph_chosen(listed, function);
  else if (!named(listed->included, function) && named(listed->excluded, function))
    node->listed = false;
  if (node->share == 0) {
    if (graph_chosen(timed, function)) node->share = 1;
  } else if (!named(timed->included, function) && named(timed->excluded, function)) {
    node->share = 0;
  }
  node->shown_self = node->self * node->share;
  propagation->graph->shown += node->shown_self;
}

/* The functions of one component, which stand in succession in the order; callers came before. */
static void choose_component(struct propagation *propagation, const uint32_t *functions,
                             uint32_t count) {
  struct call_graph *graph = propagation->graph;
  uint32_t whole = call_graph_whole(graph, functions[0]);
  struct graph_node heir = {.rank = graph->nodes[whole].rank};
  for (uint32_t i = 0; i < count; i++)
    inherit(propagation, functions[i], &heir, graph->nodes[whole].calls);
  if (whole >= graph->function_count) {
    graph->nodes[whole].listed =
        heir.listed || (!graph->nodes[whole].calls && !propagation->filter->listed.included);
    graph->nodes[whole].share = heir.share;
  }
  for (uint32_t i = 0; i < count; i++) {
    graph->nodes[functions[i]].listed = heir.listed;
    graph->nodes[functions[i]].share = heir.share;
    choose(propagation, functions[i]);
  }
}

static void choose_all(struct propagation *propagation) {
  const struct components *components = &propagation->components;
  size_t end = propagation->graph->function_count;
  while (end > 0) {
    uint32_t members = components->members[components->of[components->order[end - 1]]];
    end -= members;
    choose_component(propagation, components->order + end, members);
  }
}

/* A cycle's own time is its members'. */
static void sum_cycles(struct call_graph *graph) {
  for (size_t i = 0; i < graph->function_count; i++) {
    struct graph_node *member = &graph->nodes[i];
    if (!member->cycle || member->share == 0) continue;
    struct graph_node *cycle = &graph->nodes[call_graph_whole(graph, i)];
    cycle->self += member->self;
    cycle->share = member->share;
    cycle->shown_self += member->shown_self;
  }
}

/* ---- time ---- */

static void pass_on(struct call_graph *graph, struct graph_arc *arc) {
  struct graph_node *caller = &graph->nodes[arc->caller];
  const struct graph_node *callee = &graph->nodes[call_graph_whole(graph, arc->callee)];
  if (!arc->calls || caller->rank == callee->rank) return;
  if (graph->nodes[arc->callee].share == 0 || caller->share == 0 || !callee->calls) return;
  double part = (double)arc->calls / (double)callee->calls;
  double self = callee->self * part, child = callee->child * part;
  arc->self = self * caller->share;
  arc->child = child * caller->share;
  caller->child += self + child;
  caller->shown_child += arc->self + arc->child;
  uint32_t whole = call_graph_whole(graph, arc->caller);
  if (whole == arc->caller) return;
  graph->nodes[whole].child += self + child;
  graph->nodes[whole].shown_child += arc->self + arc->child;
}

/* Callees stand before their callers in the order, so what is passed on is complete. */
static void pass_all(struct propagation *propagation) {
  struct call_graph *graph = propagation->graph;
  const struct components *components = &propagation->components;
  for (size_t i = 0; i < graph->function_count; i++) {
    uint32_t caller = components->order[i];
    for (size_t a = components->first_arc[caller]; a < components->first_arc[caller + 1]; a++)
      pass_on(graph, &graph->arcs[components->by_caller[a]]);
  }
}

void call_graph_propagate(struct call_graph *graph, const struct graph_filter *filter) {
  static const struct graph_filter everything;
  struct propagation propagation = {.graph = graph, .filter = filter ? filter : &everything};
  find_components(&propagation);
  group_by_callee(&propagation);
  make_cycles(&propagation);
  sort_calls(graph);
  choose_all(&propagation);
  sum_cycles(graph);
  pass_all(&propagation);
  components_free(&propagation.components);
  free(propagation.first_caller);
  free(propagation.by_callee);
}

void call_graph_free(struct call_graph *graph) {
  free(graph->nodes);
  free(graph->arcs);
  *graph = (struct call_graph){0};
}
