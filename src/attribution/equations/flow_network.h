/* Flows in a network with capacities: how much more can go from one node to another.
 * Source: E. A. Dinic, "Algorithm for solution of a problem of maximum flow in networks with power
 * estimation", Soviet Mathematics Doklady 11, 1970 (all shortest paths at once). */
#ifndef ASCRIBE_ATTRIBUTION_FLOW_NETWORK_H
#define ASCRIBE_ATTRIBUTION_FLOW_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#define FLOW_UNLIMITED (UINT64_MAX / 4)

struct flow_edge {
  uint32_t to, next; /* next edge of the same node, or UINT32_MAX */
  uint64_t room;     /* how much more may flow along it */
};

/* Zero is no network. Edge e and its way back, e ^ 1, lie side by side. */
struct flow_network {
  struct flow_edge *edges;
  size_t edge_count;
  uint32_t *first;                  /* by node: its first edge, or UINT32_MAX */
  uint32_t *came_by, *seen, *queue; /* of a search */
  uint32_t *level, *current;        /* of nodes that were seen: their distance, the edge to try */
  uint32_t node_count, search;
};

void flow_network_open(struct flow_network *network, uint32_t node_count);
void flow_network_close(struct flow_network *network);

/* From `from` to `to`, at most `room`. Returns the edge. */
uint32_t flow_network_add(struct flow_network *network, uint32_t from, uint32_t to, uint64_t room);

/* How much flows along it. */
static inline uint64_t flow_along(const struct flow_network *network, uint32_t edge) {
  return network->edges[edge ^ 1].room;
}

/* Moves as much as possible, at most `limit`, from `from` to `to`. Returns how much. */
uint64_t flow_push(struct flow_network *network, uint32_t from, uint32_t to, uint64_t limit);

#endif
