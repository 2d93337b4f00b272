#include "exchange/call_graph_figures.h"

#include <stdlib.h>

#include "attribution/components.h"
#include "base/map.h"

#define MOST_AMOUNT (UINT64_C(1) << 61)

uint64_t saturated_sum(uint64_t a, uint64_t b) {
  return a > MOST_AMOUNT || b > MOST_AMOUNT - a ? MOST_AMOUNT : a + b;
}

struct amount saturated_amounts(struct amount a, struct amount b) {
  return (struct amount){saturated_sum(a.ticks, b.ticks), saturated_sum(a.raw_ns, b.raw_ns)};
}

static void add(struct amount *sum, struct amount amount) {
  *sum = saturated_amounts(*sum, amount);
}

struct figures {
  const struct level_graph *graph;
  struct costs *given;
  struct components components; /* of the nodes */
  struct amount *below;         /* by node: what it called, without direct recursion */
  struct amount *calls;         /* by node: all calls of it, without direct recursion */
  struct amount *into;          /* by node: calls from outside of its cycle */
  struct amount *cycle;         /* by component: all that happens in it and below */
  struct amount *entered;       /* by component: calls from outside of it */
};

static bool in_cycle(const struct figures *figures, uint32_t node) {
  return !figures->graph->has_levels && !figures->graph->is_folded &&
         figures->components.members[figures->components.of[node]] > 1;
}

static void sum_edges(struct figures *figures) {
  const struct level_graph *graph = figures->graph;
  const uint32_t *component = figures->components.of;
  for (size_t i = 0; i < graph->node_count; i++)
    add(&figures->cycle[component[i]], graph->nodes[i].self);
  for (size_t i = 0; i < graph->edges.arc_count; i++) {
    const struct arc_cost *edge = &graph->edges.arcs[i];
    if (edge->caller == edge->callee) continue;
    add(&figures->calls[edge->callee], edge->in_child);
    if (edge->caller == NOTHING) continue;
    add(&figures->below[edge->caller], edge->in_child);
    if (component[edge->caller] == component[edge->callee]) continue;
    add(&figures->cycle[component[edge->caller]], edge->in_child);
    add(&figures->into[edge->callee], edge->in_child);
    add(&figures->entered[component[edge->callee]], edge->in_child);
  }
}

/* ---- functions ---- */

/* A cycle that is entered at one function only: all of it is below that one. */
static void set_total_in_cycle(struct figures *figures, uint32_t node, struct function_cost *cost,
                               bool *known) {
  uint32_t component = figures->components.of[node];
  struct amount into = figures->into[node], entered = figures->entered[component];
  *known = into.raw_ns && into.raw_ns == entered.raw_ns;
  cost->total = *known ? figures->cycle[component] : into;
  if (cost->total.raw_ns < cost->self.raw_ns) cost->total = cost->self;
}

static void set_totals(struct figures *figures) {
  const struct level_graph *graph = figures->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const struct level_node *node = &graph->nodes[i];
    struct function_cost *cost = &figures->given->functions[node->function];
    bool *known = &figures->given->total_known[node->function];
    if (node->level > 1) continue;
    if (graph->is_folded && figures->calls[i].raw_ns) {
      cost->total = figures->calls[i];
      *known = true;
    } else if (in_cycle(figures, i)) {
      set_total_in_cycle(figures, i, cost, known);
    } else {
      cost->total = saturated_amounts(node->self, figures->below[i]);
      /* What runs when the program ends is in the costs of calls, but nobody's own. */
      if (cost->total.raw_ns < figures->calls[i].raw_ns) cost->total = figures->calls[i];
      *known = true;
    }
  }
}

static void set_selves(struct figures *figures, struct profile *profile) {
  const struct level_graph *graph = figures->graph;
  struct costs *given = figures->given;
  for (size_t i = 0; i < graph->node_count; i++) {
    add(&given->functions[graph->nodes[i].function].self, graph->nodes[i].self);
    add(&given->self, graph->nodes[i].self);
  }
  for (size_t i = 0; i < profile->thread_count; i++)
    given->thread_self[i] = given->self;
}

/* Nothing is above the whole, also where calls have more of it than functions.  Inner levels of
 * recursion are inside the total of the outermost, unless that is missing. */
static void keep_totals_consistent(struct figures *figures, size_t functions) {
  for (size_t i = 0; i < functions; i++) {
    struct function_cost *cost = &figures->given->functions[i];
    if (cost->total.raw_ns > figures->given->self.raw_ns) cost->total = figures->given->self;
    if (cost->total.raw_ns >= cost->self.raw_ns) continue;
    cost->total = cost->self;
    figures->given->total_known[i] = false;
  }
}

/* ---- arcs ---- */

static struct arc_cost *arc_between(struct costs *given, struct map *ids, uint32_t caller,
                                    uint32_t callee) {
  uint64_t key = (uint64_t)caller << 32 | callee;
  uint32_t id = map_find_or_add(ids, key, 0, given->arc_count);
  if (id == given->arc_count) {
    ARRAY_GROW(given->arcs, given->arc_count);
    given->arcs[given->arc_count++] =
        (struct arc_cost){.caller = caller, .callee = callee, .cost_unknown = true};
  }
  return &given->arcs[id];
}

/* What an edge says of the cost of its arc: nothing inside a cycle, or into an inner activation. */
static bool is_outermost(const struct figures *figures, const struct arc_cost *edge) {
  if (figures->graph->is_folded) return true;
  if (figures->graph->has_levels) return figures->graph->nodes[edge->callee].level == 1;
  return figures->components.of[edge->caller] != figures->components.of[edge->callee];
}

static void set_arcs(struct figures *figures) {
  const struct level_graph *graph = figures->graph;
  struct costs *given = figures->given;
  struct map ids = {0};
  for (size_t i = 0; i < graph->edges.arc_count; i++) {
    const struct arc_cost *edge = &graph->edges.arcs[i];
    uint32_t caller = edge->caller == NOTHING ? NOTHING : graph->nodes[edge->caller].function;
    uint32_t callee = graph->nodes[edge->callee].function;
    struct function_cost *cost = &given->functions[callee];
    given->calls = saturated_sum(given->calls, edge->calls);
    if (caller == callee) {
      cost->recursive = saturated_sum(cost->recursive, edge->calls);
      continue;
    }
    cost->calls = saturated_sum(cost->calls, edge->calls);
    struct arc_cost *arc = arc_between(given, &ids, caller, callee);
    arc->calls = saturated_sum(arc->calls, edge->calls);
    if (!is_outermost(figures, edge)) continue;
    arc->cost_unknown = false;
    add(&arc->in_child, edge->in_child);
    add(&arc->out_child, edge->in_child);
  }
  map_free(&ids);
}

void call_graph_figures(const struct level_graph *graph, struct profile *profile) {
  struct figures figures = {.graph = graph, .given = given_create(profile)};
  struct profile nodes = {.function_count = graph->node_count};
  components_find(&nodes, &graph->edges, &figures.components);
  figures.below = memory_zeroed(graph->node_count, sizeof *figures.below);
  figures.calls = memory_zeroed(graph->node_count, sizeof *figures.calls);
  figures.into = memory_zeroed(graph->node_count, sizeof *figures.into);
  figures.cycle = memory_zeroed(graph->node_count, sizeof *figures.cycle);
  figures.entered = memory_zeroed(graph->node_count, sizeof *figures.entered);
  sum_edges(&figures);
  set_selves(&figures, profile);
  set_totals(&figures);
  set_arcs(&figures);
  keep_totals_consistent(&figures, profile->function_count);
  components_free(&figures.components);
  free(figures.below);
  free(figures.calls);
  free(figures.into);
  free(figures.cycle);
  free(figures.entered);
}
