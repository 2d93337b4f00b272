#include "attribution/call_equations.h"

#include "attribution/flow_network.h"
#include "attribution/pool.h"

#include <stdlib.h>

/* Nodes: sites, functions, the outside that gives to sites and takes from functions, and the two
 * ends between which what must flow is looked for. */
struct solver {
  const struct call_equations *equations;
  struct flow_network network;
  uint32_t *edges;      /* by arc */
  uint32_t *site_edges; /* by site and function: the edge that must be full, if known */
  uint32_t *function_edges;
  uint32_t outside, source, sink;
  uint64_t plenty; /* more than all that is known */
};

static uint32_t function_node(const struct solver *solver, uint32_t function) {
  return solver->equations->site_count + function;
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
  uint64_t given = 0, taken = 0;
  for (uint32_t i = 0; i < equations->site_count; i++) {
    const struct call_node *site = &equations->sites[i];
    solver->site_edges[i] =
        flow_network_add(network, site->known ? solver->source : solver->outside, i,
                         site->known ? site->count : FLOW_UNLIMITED);
    given += site->known ? site->count : 0;
  }
  for (uint32_t i = 0; i < equations->function_count; i++) {
    const struct call_node *function = &equations->functions[i];
    solver->function_edges[i] = flow_network_add(
        network, function_node(solver, i), function->known ? solver->sink : solver->outside,
        function->known ? function->count : FLOW_UNLIMITED);
    taken += function->known ? function->count : 0;
  }
  for (uint32_t i = 0; i < equations->arc_count; i++)
    solver->edges[i] =
        flow_network_add(network, equations->arcs[i].site,
                         function_node(solver, equations->arcs[i].function), FLOW_UNLIMITED);
  /* What known sites give ends in the outside, what known functions take begins there. */
  flow_network_add(network, solver->outside, solver->sink, given);
  flow_network_add(network, solver->source, solver->outside, taken);
  solver->plenty = given + taken + 1;
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
    if (!equations->sites[i].known || !network->edges[edge].room) continue;
    *conflict = (struct call_conflict){CONFLICT_SITE, i, equations->sites[i].count,
                                       flow_along(network, edge)};
    return -1;
  }
  for (uint32_t i = 0; i < equations->function_count; i++) {
    uint32_t edge = solver->function_edges[i];
    if (!equations->functions[i].known || !network->edges[edge].room) continue;
    *conflict = (struct call_conflict){CONFLICT_FUNCTION, i, equations->functions[i].count,
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

struct range {
  uint64_t least, most;
};

/* Lets more and less flow along the arc, as far as the rest can make up for it. The arc's own edge
 * is out of the network meanwhile. */
static uint64_t change(struct solver *solver, uint32_t arc, uint64_t limit, bool more) {
  const struct call_arc *at = &solver->equations->arcs[arc];
  uint32_t function = function_node(solver, at->function), edge = solver->edges[arc];
  struct flow_edge *edges = solver->network.edges;
  uint64_t flow = edges[edge ^ 1].room;
  edges[edge].room = edges[edge ^ 1].room = 0;
  uint64_t moved = more ? flow_push(&solver->network, function, at->site, limit)
                        : flow_push(&solver->network, at->site, function, limit);
  flow = more ? flow + moved : flow - moved;
  edges[edge].room = FLOW_UNLIMITED - flow;
  edges[edge ^ 1].room = flow;
  return moved;
}

static struct range range_of(struct solver *solver, uint32_t arc) {
  uint32_t edge = solver->edges[arc];
  uint64_t moved = change(solver, arc, solver->plenty, true);
  struct range range = {.most = flow_along(&solver->network, edge)};
  if (moved >= solver->plenty) range.most = COUNT_UNBOUNDED;
  change(solver, arc, flow_along(&solver->network, edge), false);
  range.least = flow_along(&solver->network, edge);
  return range;
}

/* From here on the arc is `value`, which lies in its range; it is at its least. */
static void fix(struct solver *solver, uint32_t arc, uint64_t value) {
  uint32_t edge = solver->edges[arc];
  change(solver, arc, value - flow_along(&solver->network, edge), true);
  solver->network.edges[edge].room = solver->network.edges[edge ^ 1].room = 0;
}

static uint64_t within(struct range range, uint64_t value) {
  return value < range.least ? range.least : value > range.most ? range.most : value;
}

static int fix_given(struct solver *solver, struct call_conflict *conflict) {
  const struct call_equations *equations = solver->equations;
  for (uint32_t i = 0; i < equations->arc_count; i++) {
    const struct call_arc *arc = &equations->arcs[i];
    if (!arc->fixed) continue;
    uint64_t nearest = within(range_of(solver, i), arc->value);
    if (nearest != arc->value) {
      *conflict = (struct call_conflict){CONFLICT_FIXED, i, arc->value, nearest};
      return -1;
    }
    fix(solver, i, arc->value);
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
    bool by_site = site->known && (!function->known || site->count < function->count);
    uint64_t wanted =
        by_site ? site->count / at_site[arc->site] : function->count / at_function[arc->function];
    arc->estimate = within(range_of(solver, i), wanted);
    fix(solver, i, arc->estimate);
  }
  free(at_site);
  free(at_function);
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
      struct range range =
          arc->fixed ? (struct range){arc->value, arc->value} : range_of(&solver, i);
      arc->least = range.least;
      arc->most = range.most;
    }
    estimate_all(&solver, equations);
  }
  close_network(&solver);
  return status;
}
