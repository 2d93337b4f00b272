/* gprof's call graph: functions with their own time, arcs with their calls, and the time that is
 * passed along them.
 *
 * Nothing is known of contexts here.  The time of a function and all below it is shared among its
 * callers in proportion to their calls; functions that can reach each other form a cycle, which is
 * one entity; a function's calls of itself pass no time.
 * Source: Graham, Kessler, McKusick, "gprof: a call graph execution profiler", section 4. */
#ifndef ASCRIBE_ATTRIBUTION_CALL_GRAPH_H
#define ASCRIBE_ATTRIBUTION_CALL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times are in ticks. The graph owns no string. */
struct graph_node {
  const char *name;    /* null: a cycle as a whole */
  const char *linkage; /* as in the symbol table: gprof listings need it, to sort by; or null */
  const char *file;    /* or null */
  uint32_t line;       /* 0: not known */
  bool local;          /* its name is known in its file only */
  bool piece;          /* of another function, which has its calls and times: never listed */
  uint64_t address;
  double self;
  uint64_t calls;     /* call_graph_propagate takes the recursive ones out */
  uint64_t recursive; /* of itself; of a cycle: among its members */
  uint32_t cycle;     /* its number, from 1; 0: in none */
  uint32_t rank;      /* callees have lower ones; the same in a whole cycle */
  double child;       /* that callees passed on */
  double share;       /* the part of its time that callers that are shown account for */
  double shown_self, shown_child;
  bool listed; /* has an entry of its own in the listing */
};

struct graph_arc {
  uint32_t caller, callee; /* nodes, never cycles */
  uint64_t calls;          /* 0: found in the executable */
  double self, child;      /* that the callee passes to the caller */
};

/* Functions, or source lines; call_graph_propagate puts the cycles behind them. */
struct call_graph {
  struct graph_node *nodes;
  size_t node_count, function_count;
  struct graph_arc *arcs;
  size_t arc_count;
  double shown; /* all shown_self together: 100 % */
};

/* By function; a null array: none are named.  Where some are included, all others are excluded. */
struct graph_choice {
  const bool *included, *excluded;
};

/* All zeros: every function is listed, every one's time counts. */
struct graph_filter {
  struct graph_choice listed, timed;
};

uint32_t call_graph_add(struct call_graph *graph, struct graph_node node);

/* `calls` of `callee` in `caller`.  Each pair once (the caller sees to it). */
void call_graph_call(struct call_graph *graph, uint32_t caller, uint32_t callee, uint64_t calls);

/* Find cycles, then pass times from callees to callers. Once, when all is added. */
void call_graph_propagate(struct call_graph *graph, const struct graph_filter *filter);

/* The node of the cycle that a node is a member of; the node itself if it is in none. */
uint32_t call_graph_whole(const struct call_graph *graph, uint32_t node);

bool graph_chosen(const struct graph_choice *choice, uint32_t function);

void call_graph_free(struct call_graph *graph);

#endif
