#include "exchange/graph_builder.h"

#include <stdlib.h>
#include <string.h>

#define COST_MOST (UINT64_C(1) << 60)

uint32_t graph_builder_node(struct graph_builder *builder, uint32_t function, uint32_t level) {
  struct level_graph *graph = &builder->graph;
  uint32_t node = map_find_or_add(&builder->node_ids, function, level, graph->node_count);
  if (node != graph->node_count) return node;
  ARRAY_GROW(graph->nodes, graph->node_count);
  graph->nodes[graph->node_count++] = (struct level_node){.function = function, .level = level};
  graph->has_levels |= level > 1;
  return node;
}

uint32_t graph_builder_line(struct graph_builder *builder, uint32_t function, const char *file,
                            uint32_t number) {
  size_t known = builder->stacks->profile->line_count;
  uint32_t line = stack_profile_line(builder->stacks, function, file, number);
  if (line < known) return line;
  ARRAY_GROW(builder->line_self, known);
  builder->line_self[line] = (struct amount){0};
  return line;
}

bool graph_builder_self(struct graph_builder *builder, uint32_t node, uint32_t line,
                        struct amount amount) {
  builder->all = amount_sum(builder->all, amount);
  if (amount.raw_ns > COST_MOST || amount.ticks > COST_MOST || builder->all.raw_ns > COST_MOST ||
      builder->all.ticks > COST_MOST)
    return false;
  struct level_node *at = &builder->graph.nodes[node];
  at->self = amount_sum(at->self, amount);
  builder->line_self[line] = saturated_amounts(builder->line_self[line], amount);
  return true;
}

static uint32_t function_of(const struct graph_builder *builder, uint32_t node) {
  return node == NOTHING ? NOTHING : builder->graph.nodes[node].function;
}

static void add_to_site(struct graph_builder *builder, uint32_t caller, uint32_t callee,
                        uint32_t line, uint64_t calls) {
  const struct profile *profile = builder->stacks->profile;
  const struct profile_line *at = line == NOTHING ? NULL : &profile->lines[line];
  uint32_t from = function_of(builder, caller), known = profile->site_count;
  struct profile_site site = {.caller = from,
                              .callee = function_of(builder, callee),
                              .within = from,
                              .object = NOTHING,
                              .file = at ? at->file : NULL,
                              .line = at ? at->line : 0,
                              .expansion = NOTHING};
  uint32_t id = builder_site(&builder->stacks->builder, site, line);
  ARRAY_GROW(builder->site_calls, id);
  if (id == known) builder->site_calls[id] = 0;
  builder->site_calls[id] = saturated_sum(builder->site_calls[id], calls);
}

void graph_builder_call(struct graph_builder *builder, uint32_t caller, uint32_t callee,
                        uint32_t line, uint64_t calls, struct amount amount) {
  struct costs *edges = &builder->graph.edges;
  uint64_t key = (uint64_t)caller << 32 | callee;
  uint32_t id = map_find_or_add(&builder->edge_ids, key, 0, edges->arc_count);
  if (id == edges->arc_count) {
    ARRAY_GROW(edges->arcs, edges->arc_count);
    edges->arcs[edges->arc_count++] = (struct arc_cost){.caller = caller, .callee = callee};
  }
  struct arc_cost *edge = &edges->arcs[id];
  edge->calls = saturated_sum(edge->calls, calls);
  edge->in_child = saturated_amounts(edge->in_child, amount);
  add_to_site(builder, caller, callee, line, calls);
}

void graph_builder_figures(struct graph_builder *builder, struct profile *profile) {
  profile->stack_count = 0;
  call_graph_figures(&builder->graph, profile);
  struct costs *given = profile->given;
  if (profile->line_count)
    memcpy(given->line_self, builder->line_self, profile->line_count * sizeof *given->line_self);
  if (profile->site_count)
    memcpy(given->site_calls, builder->site_calls, profile->site_count * sizeof *given->site_calls);
  given_sums(profile);
}

void graph_builder_close(struct graph_builder *builder) {
  free(builder->graph.nodes);
  free(builder->graph.edges.arcs);
  map_free(&builder->node_ids);
  map_free(&builder->edge_ids);
  free(builder->line_self);
  free(builder->site_calls);
}
