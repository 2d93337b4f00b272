#include "attribution/equations/call_equations.h"

#include "attribution/equations/flow_network.h"
#include "base/memory.h"

#include <stdlib.h>

/* Nodes: sites, functions, the outside that gives to sites and takes from functions, and the two
 * ends between which what must flow is looked for. */
struct solver {
  const struct call_equations *equations;
  struct flow_network network;
  uint32_t *edges;      /* by arc */
  uint32_t *site_edges; /* by site and function: the edge that must be full */
  uint32_t *function_edges;
  uint32_t outside, source, sink;
  uint64_t plenty; /* more than all that is known */
};

static uint32_t function_node(const struct solver *solver, uint32_t function) {
  return solver->equations->site_count + function;
}

static bool is_bounded(const struct call_node *node) {
  return node->most != COUNT_UNBOUNDED;
}

static uint64_t slack(const struct call_node *node) {
  return is_bounded(node) ? node->most - node->least : FLOW_UNLIMITED;
}

static void open_network(struct solver *solver) {
  const struct call_equations *equations = solver->equations;
  struct flow_network *network = &solver->network;
  solver->outside = equations->site_count + equations->function_count;
  solver->source = solver->outside + 1;
  solver->sink = solver->outside + 2;
  flow_network_open(network, solver->outside + 3);
  solver->edges = memory_zeroed(equations->arc_count, sizeof *solver->edges);
  solver->site_edges = memory_zeroed(equations->site_count, sizeof *solver->site_edges);
  solver->function_edges = memory_zeroed(equations->function_count, sizeof *solver->function_edges);
  uint64_t given = 0, taken = 0, finite = 0;
  for (uint32_t i = 0; i < equations->site_count; i++) {
    const struct call_node *site = &equations->sites[i];
    solver->site_edges[i] = flow_network_add(network, solver->source, i, site->least);
    flow_network_add(network, solver->outside, i, slack(site));
    given += site->least;
    finite += is_bounded(site) ? site->most : 0;
  }
  for (uint32_t i = 0; i < equations->function_count; i++) {
    const struct call_node *function = &equations->functions[i];
    uint32_t node = function_node(solver, i);
    solver->function_edges[i] = flow_network_add(network, node, solver->sink, function->least);
    flow_network_add(network, node, solver->outside, slack(function));
    taken += function->least;
    finite += is_bounded(function) ? function->most : 0;
  }
  for (uint32_t i = 0; i < equations->arc_count; i++)
    solver->edges[i] =
        flow_network_add(network, equations->arcs[i].site,
                         function_node(solver, equations->arcs[i].function), FLOW_UNLIMITED);
  /* What sites must give ends in the outside, what functions must take begins there. */
  flow_network_add(network, solver->outside, solver->sink, given);
  flow_network_add(network, solver->source, solver->outside, taken);
  solver->plenty = given + taken + finite + 1;
}

static void close_network(struct solver *solver) {
  flow_network_close(&solver->network);
  free(solver->edges);
  free(solver->site_edges);
  free(solver->function_edges);
}

/* One solution, if there is any. */
static int find_solution(struct solver *solver, struct call_conflict *conflict) {
  const struct call_equations *equations = solver->equations;
  struct flow_network *network = &solver->network;
  flow_push(network, solver->source, solver->sink, FLOW_UNLIMITED);
  for (uint32_t i = 0; i < equations->site_count; i++) {
    uint32_t edge = solver->site_edges[i];
    if (!network->edges[edge].room) continue;
    *conflict = (struct call_conflict){CONFLICT_SITE, i, equations->sites[i].least,
                                       flow_along(network, edge)};
    return -1;
  }
  for (uint32_t i = 0; i < equations->function_count; i++) {
    uint32_t edge = solver->function_edges[i];
    if (!network->edges[edge].room) continue;
    *conflict = (struct call_conflict){CONFLICT_FUNCTION, i, equations->functions[i].least,
                                       flow_along(network, edge)};
    return -1;
  }
  return 0;
}

/* Nothing may go through the ends any more: what flows there is what was given. */
static void keep_counts(struct solver *solver) {
  struct flow_network *network = &solver->network;
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t edge = network->first[i ? solver->sink : solver->source];
    for (; edge != UINT32_MAX; edge = network->edges[edge].next)
      network->edges[edge].room = network->edges[edge ^ 1].room = 0;
  }
}

/* Lets more or less flow along the arc, as far as the rest can make up for it. The arc's own edge
 * is out of the network meanwhile. Returns how much less was moved than was asked for. */
static uint64_t change(struct solver *solver, uint32_t arc, uint64_t wanted, bool more) {
  const struct call_arc *at = &solver->equations->arcs[arc];
  uint32_t function = function_node(solver, at->function), edge = solver->edges[arc];
  struct flow_edge *edges = solver->network.edges;
  uint64_t flow = edges[edge ^ 1].room;
  edges[edge].room = edges[edge ^ 1].room = 0;
  uint64_t moved = more ? flow_push(&solver->network, function, at->site, wanted)
                        : flow_push(&solver->network, at->site, function, wanted);
  flow = more ? flow + moved : flow - moved;
  edges[edge].room = FLOW_UNLIMITED - flow;
  edges[edge ^ 1].room = flow;
  return wanted - moved;
}

/* Moves the arc to `value`, or as near to it as can be. Returns where it is then. */
static uint64_t move_to(struct solver *solver, uint32_t arc, uint64_t value) {
  uint64_t flow = flow_along(&solver->network, solver->edges[arc]);
  if (value > flow) return value - change(solver, arc, value - flow, true);
  return value < flow ? value + change(solver, arc, flow - value, false) : value;
}

/* From here on it stays where it is. */
static void fix(struct solver *solver, uint32_t arc) {
  uint32_t edge = solver->edges[arc];
  solver->network.edges[edge].room = solver->network.edges[edge ^ 1].room = 0;
}

static uint64_t most_at_ends(const struct call_equations *equations, const struct call_arc *arc) {
  uint64_t site = equations->sites[arc->site].most;
  uint64_t function = equations->functions[arc->function].most;
  return site < function ? site : function;
}

static void find_range(struct solver *solver, struct call_equations *equations, uint32_t id) {
  struct call_arc *arc = &equations->arcs[id];
  uint64_t most = most_at_ends(equations, arc);
  arc->least = move_to(solver, id, 0);
  arc->most = move_to(solver, id, most == COUNT_UNBOUNDED ? solver->plenty : most);
  if (arc->most == solver->plenty) arc->most = COUNT_UNBOUNDED;
}

static int fix_given(struct solver *solver, struct call_conflict *conflict) {
  const struct call_equations *equations = solver->equations;
  for (uint32_t i = 0; i < equations->arc_count; i++) {
    const struct call_arc *arc = &equations->arcs[i];
    if (!arc->fixed) continue;
    uint64_t most = most_at_ends(equations, arc);
    uint64_t nearest = move_to(solver, i, arc->value < most ? arc->value : most);
    if (nearest != arc->value) {
      *conflict = (struct call_conflict){CONFLICT_FIXED, i, arc->value, nearest};
      return -1;
    }
    fix(solver, i);
  }
  return 0;
}

/* How many arcs each site and function has. */
static void count_degrees(const struct call_equations *equations, uint32_t *sites,
                          uint32_t *functions) {
  for (uint32_t i = 0; i < equations->arc_count; i++) {
    sites[equations->arcs[i].site]++;
    functions[equations->arcs[i].function]++;
  }
}

static void estimate_all(struct solver *solver, struct call_equations *equations) {
  uint32_t *at_site = memory_zeroed(equations->site_count, sizeof *at_site);
  uint32_t *at_function = memory_zeroed(equations->function_count, sizeof *at_function);
  count_degrees(equations, at_site, at_function);
  for (uint32_t i = 0; i < equations->arc_count; i++) {
    struct call_arc *arc = &equations->arcs[i];
    arc->estimate = arc->least;
    if (arc->least == arc->most || arc->most == COUNT_UNBOUNDED) continue;
    const struct call_node *site = &equations->sites[arc->site];
    const struct call_node *function = &equations->functions[arc->function];
    uint64_t wanted = site->most < function->most ? site->most / at_site[arc->site]
                                                  : function->most / at_function[arc->function];
    arc->estimate = move_to(solver, i, wanted);
    fix(solver, i);
  }
  free(at_site);
  free(at_function);
}

static bool lower(struct call_node *node, uint64_t fits) {
  bool lowered = fits < node->least;
  if (lowered) node->least = 0;
  return lowered;
}

uint32_t call_equations_relax(struct call_equations *equations) {
  struct solver solver = {.equations = equations};
  uint32_t lowered = 0;
  open_network(&solver);
  flow_push(&solver.network, solver.source, solver.sink, FLOW_UNLIMITED);
  for (uint32_t i = 0; i < equations->site_count; i++)
    lowered += lower(&equations->sites[i], flow_along(&solver.network, solver.site_edges[i]));
  for (uint32_t i = 0; i < equations->function_count; i++)
    lowered +=
        lower(&equations->functions[i], flow_along(&solver.network, solver.function_edges[i]));
  close_network(&solver);
  return lowered;
}

int call_equations_solve(struct call_equations *equations, struct call_conflict *conflict) {
  struct solver solver = {.equations = equations};
  open_network(&solver);
  int status = find_solution(&solver, conflict);
  if (status == 0) {
    keep_counts(&solver);
    status = fix_given(&solver, conflict);
  }
  if (status == 0) {
    for (uint32_t i = 0; i < equations->arc_count; i++) {
      struct call_arc *arc = &equations->arcs[i];
      if (arc->fixed)
        arc->least = arc->most = arc->value;
      else
        find_range(&solver, equations, i);
    }
    estimate_all(&solver, equations);
  }
  close_network(&solver);
  return status;
}
