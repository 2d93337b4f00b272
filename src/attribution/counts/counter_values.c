#include "attribution/counts/counter_values.h"

#include <stdlib.h>

#include "base/memory.h"

static uint64_t counter(const struct counted_unit *unit, uint32_t number,
                        const struct counter_memory *memory) {
  if (unit->counters < memory->start) return 0;
  uint64_t index = (unit->counters - memory->start) / sizeof(uint64_t) + number;
  return index < memory->count ? memory->counts[index] : 0;
}

uint64_t counter_checksum(const struct counted_unit *unit, const struct counter_memory *memory) {
  return counter(unit, 0, memory);
}

bool counter_callee(const struct counted_code *code, const struct counted_point *point,
                    const struct counter_memory *memory, uint64_t *address, uint64_t *calls) {
  if (point->kind != POINT_INDIRECT) return false;
  *address = counter(code->unit, point->cell, memory);
  *calls = counter(code->unit, point->cell + 1, memory);
  return *address && *calls;
}

/* ---- the flows of one function ---- */

struct node {
  uint64_t surplus;  /* of what is known: in - out, modulo 2^64 */
  uint32_t unknown;  /* flows */
  uint32_t together; /* their indices, combined by exclusive or: with one of them, its index */
};

struct graph {
  const struct counted_flow *edges;
  uint32_t count;
  struct node *nodes;
  struct counter_flow *flows;
  uint32_t *ready; /* nodes with one unknown flow */
  uint32_t ready_count;
};

static void add_known(struct graph *graph, uint32_t i) {
  graph->nodes[graph->edges[i].from].surplus -= graph->flows[i].times;
  graph->nodes[graph->edges[i].to].surplus += graph->flows[i].times;
}

static void add_unknown(struct node *node, uint32_t i) {
  node->unknown++;
  node->together ^= i;
}

static void settle(struct graph *graph, uint32_t number, uint32_t i) {
  struct node *node = &graph->nodes[number];
  node->unknown--;
  node->together ^= i;
  if (node->unknown == 1) graph->ready[graph->ready_count++] = number;
}

static void solve_node(struct graph *graph, uint32_t number) {
  struct node *node = &graph->nodes[number];
  if (node->unknown != 1) return;
  uint32_t i = node->together;
  const struct counted_flow *edge = &graph->edges[i];
  bool leaves = edge->from == number;
  graph->flows[i] = (struct counter_flow){true, leaves ? node->surplus : -node->surplus};
  add_known(graph, i);
  settle(graph, edge->from, i);
  settle(graph, edge->to, i);
}

/* A node gets ready once: when all its flows but one are known. */
static void solve(struct graph *graph, uint32_t node_count) {
  for (uint32_t i = 0; i < graph->count; i++) {
    if (graph->flows[i].known) {
      add_known(graph, i);
      continue;
    }
    add_unknown(&graph->nodes[graph->edges[i].from], i);
    add_unknown(&graph->nodes[graph->edges[i].to], i);
  }
  for (uint32_t i = 0; i < node_count; i++)
    if (graph->nodes[i].unknown == 1) graph->ready[graph->ready_count++] = i;
  while (graph->ready_count)
    solve_node(graph, graph->ready[--graph->ready_count]);
  for (uint32_t i = 0; i < graph->count; i++)
    if (graph->flows[i].times > INT64_MAX) graph->flows[i].times = 0;
}

/* ---- the functions of an object ---- */

/* Functions whose flows are known tell the entries of those that they call. */
struct telling {
  const struct counted_code *code;
  size_t count;
  const struct counter_memory *memory;
  struct counter_values *values;
  uint64_t *entries; /* by function: of those that are counted at their call sites, so far */
  uint32_t *missing; /* by function: calls of it that are not known yet */
  size_t *ready;
  size_t ready_count;
};

static const struct counted_point *entry_of(const struct counted_code *code) {
  for (uint32_t i = 0; i < code->point_count; i++)
    if (code->points[i].kind == POINT_ENTRY && code->points[i].flow != NO_FLOW)
      return &code->points[i];
  return NULL;
}

static bool is_counted_at_sites(const struct counted_code *code) {
  const struct counted_point *entry = entry_of(code);
  return entry && code->flows[entry->flow].counter == COUNTED_AT_SITES;
}

/* The function that is called, if its call sites count its entries. */
static size_t callee_of(const struct telling *telling, const struct counted_code *caller,
                        const struct counted_point *point) {
  if (point->kind != POINT_CALL) return SIZE_MAX;
  uint32_t callee = caller->unit->callees[point->callee].code;
  bool found = callee < telling->count && is_counted_at_sites(&telling->code[callee]);
  return found ? callee : SIZE_MAX;
}

static void solve_function(struct telling *telling, size_t function) {
  const struct counted_code *code = &telling->code[function];
  struct graph graph = {.edges = code->flows,
                        .count = code->flow_count,
                        .nodes = memory_zeroed(code->node_count, sizeof *graph.nodes),
                        .flows = telling->values->flows + telling->values->first[function],
                        .ready = memory_zeroed(code->node_count, sizeof *graph.ready)};
  for (uint32_t i = 0; i < graph.count; i++) {
    uint32_t number = code->flows[i].counter;
    if (number == COUNTED_AT_SITES)
      graph.flows[i] = (struct counter_flow){true, telling->entries[function]};
    else if (number != NO_COUNTER)
      graph.flows[i] = (struct counter_flow){true, counter(code->unit, number, telling->memory)};
    if (number != COUNTED_AT_SITES && number != NO_COUNTER)
      telling->values->increments += graph.flows[i].times;
  }
  for (uint32_t i = 0; i < code->point_count; i++)
    if (code->points[i].kind == POINT_INDIRECT)
      telling->values->increments += counter(code->unit, code->points[i].cell + 1, telling->memory);
  solve(&graph, code->node_count);
  free(graph.nodes);
  free(graph.ready);
}

static void tell(struct telling *telling, size_t function) {
  const struct counted_code *code = &telling->code[function];
  for (uint32_t i = 0; i < code->point_count; i++) {
    size_t callee = callee_of(telling, code, &code->points[i]);
    if (callee == SIZE_MAX) continue;
    telling->entries[callee] += counter_passes(telling->values, code, &code->points[i]);
    if (--telling->missing[callee] == 0) telling->ready[telling->ready_count++] = callee;
  }
}

static void count_missing(struct telling *telling, size_t function) {
  const struct counted_code *code = &telling->code[function];
  for (uint32_t i = 0; i < code->point_count; i++) {
    size_t callee = callee_of(telling, code, &code->points[i]);
    if (callee != SIZE_MAX) telling->missing[callee]++;
  }
}

void counter_values_make(const struct counted_code *code, size_t count,
                         const struct counter_memory *memory, struct counter_values *values) {
  *values = (struct counter_values){.code = code,
                                    .first = memory_zeroed(count + 1, sizeof *values->first)};
  for (size_t i = 0; i < count; i++)
    values->first[i + 1] = values->first[i] + code[i].flow_count;
  values->flows = memory_zeroed(values->first[count], sizeof *values->flows);
  struct telling telling = {.code = code,
                            .count = count,
                            .memory = memory,
                            .values = values,
                            .entries = memory_zeroed(count, sizeof *telling.entries),
                            .missing = memory_zeroed(count, sizeof *telling.missing),
                            .ready = memory_zeroed(count, sizeof *telling.ready)};
  for (size_t i = 0; i < count; i++)
    count_missing(&telling, i);
  for (size_t i = 0; i < count; i++)
    if (!telling.missing[i]) telling.ready[telling.ready_count++] = i;
  for (size_t i = 0; i < telling.ready_count; i++) {
    solve_function(&telling, telling.ready[i]);
    tell(&telling, telling.ready[i]);
  }
  free(telling.entries);
  free(telling.missing);
  free(telling.ready);
}

void counter_values_free(struct counter_values *values) {
  free(values->first);
  free(values->flows);
}

static uint64_t times(const struct counter_values *values, const struct counted_code *code,
                      uint32_t flow) {
  return flow == NO_FLOW ? 0 : values->flows[values->first[code - values->code] + flow].times;
}

uint64_t counter_entries(const struct counter_values *values, const struct counted_code *code) {
  const struct counted_point *entry = entry_of(code);
  return entry ? times(values, code, entry->flow) : 0;
}

uint64_t counter_passes(const struct counter_values *values, const struct counted_code *code,
                        const struct counted_point *point) {
  return times(values, code, point->flow);
}
