/* A profile made of a call graph that a file gives figure by figure: costs of functions and their
 * lines, calls with the cost of what was called. */
#ifndef ASCRIBE_EXCHANGE_GRAPH_BUILDER_H
#define ASCRIBE_EXCHANGE_GRAPH_BUILDER_H

#include "exchange/call_graph_figures.h"
#include "exchange/stack_profile.h"

/* Zero and `stacks` set: empty. */
struct graph_builder {
  struct stack_profile *stacks; /* its tables of functions and lines; not owned */
  struct level_graph graph;
  struct map node_ids, edge_ids;
  struct amount *line_self; /* by line of the profile */
  uint64_t *site_calls;
  struct amount all; /* of all functions' own costs */
};

/* A function at its level of recursion, from 1. */
uint32_t graph_builder_node(struct graph_builder *builder, uint32_t function, uint32_t level);

/* The line of `function`; `file` null: the function's own, `number` 0: not known. */
uint32_t graph_builder_line(struct graph_builder *builder, uint32_t function, const char *file,
                            uint32_t number);

/* A function's own cost. False: the sum of all is too large. */
bool graph_builder_self(struct graph_builder *builder, uint32_t node, uint32_t line,
                        struct amount amount);

/* `calls` calls of node `callee` from `line`, and what they cost with all that was called in turn.
 * `caller` and `line` are NOTHING where the calls are spontaneous. */
void graph_builder_call(struct graph_builder *builder, uint32_t caller, uint32_t callee,
                        uint32_t line, uint64_t calls, struct amount amount);

/* Into the profile that was made of `stacks`. */
void graph_builder_figures(struct graph_builder *builder, struct profile *profile);

void graph_builder_close(struct graph_builder *builder);

#endif
