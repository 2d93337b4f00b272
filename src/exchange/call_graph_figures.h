/* What a call graph with inclusive costs says of functions.
 *
 * Callgrind adds up the inclusive costs of all calls, also of those inside another activation of
 * the same function, so recursion is counted as often as it is deep.  What is below the outermost
 * activation is counted once and is right.  Callgrind can tell levels of recursion apart ("f",
 * "f'2"): then "f" is the outermost.  In files without levels the totals of functions in a cycle
 * are known only where the cycle has one way in.  Files that Ascribe exported are folded: nothing
 * is counted twice in them. */
#ifndef ASCRIBE_EXCHANGE_CALL_GRAPH_FIGURES_H
#define ASCRIBE_EXCHANGE_CALL_GRAPH_FIGURES_H

#include "attribution/given.h"

/* A function at one level of recursion. */
struct level_node {
  uint32_t function;
  uint32_t level; /* 1: outermost */
  struct amount self;
};

struct level_graph {
  struct level_node *nodes;
  size_t node_count;
  struct costs edges; /* arcs between nodes; their inclusive costs stand in in_child */
  bool has_levels;    /* some function was met at several */
  bool is_folded;     /* no cost is counted twice: those of all calls of a function are its total */
};

/* a + b, or the most that is left where that would be too large: nested costs have no bound. */
uint64_t saturated_sum(uint64_t a, uint64_t b);
struct amount saturated_amounts(struct amount a, struct amount b);

/* Fill profile->given but for lines and sites. */
void call_graph_figures(const struct level_graph *graph, struct profile *profile);

#endif
