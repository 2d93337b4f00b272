#include "attribution/equations/flow_network.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

#define NO_EDGE UINT32_MAX

void flow_network_open(struct flow_network *network, uint32_t node_count) {
  *network = (struct flow_network){.node_count = node_count};
  network->first = memory_zeroed(node_count, sizeof *network->first);
  network->came_by = memory_zeroed(node_count, sizeof *network->came_by);
  network->seen = memory_zeroed(node_count, sizeof *network->seen);
  network->level = memory_zeroed(node_count, sizeof *network->level);
  network->current = memory_zeroed(node_count, sizeof *network->current);
  network->queue = memory_zeroed(node_count, sizeof *network->queue);
  for (uint32_t i = 0; i < node_count; i++)
    network->first[i] = NO_EDGE;
}

void flow_network_close(struct flow_network *network) {
  free(network->edges);
  free(network->first);
  free(network->came_by);
  free(network->seen);
  free(network->level);
  free(network->current);
  free(network->queue);
}

static void add_half(struct flow_network *network, uint32_t from, uint32_t to, uint64_t room) {
  ARRAY_GROW(network->edges, network->edge_count);
  network->edges[network->edge_count] = (struct flow_edge){to, network->first[from], room};
  network->first[from] = network->edge_count++;
}

uint32_t flow_network_add(struct flow_network *network, uint32_t from, uint32_t to, uint64_t room) {
  uint32_t edge = network->edge_count;
  add_half(network, from, to, room);
  add_half(network, to, from, 0);
  return edge;
}

/* How far each node is from `from`, along edges with room; no farther than `to`. False: `to` cannot
 * be reached. */
static bool find_levels(struct flow_network *network, uint32_t from, uint32_t to) {
  uint32_t head = 0, tail = 0, search = ++network->search;
  network->queue[tail++] = from;
  network->seen[from] = search;
  network->level[from] = 0;
  network->current[from] = network->first[from];
  while (head < tail && network->seen[to] != search) {
    uint32_t node = network->queue[head++], edge = network->first[node];
    for (; edge != NO_EDGE; edge = network->edges[edge].next) {
      uint32_t next = network->edges[edge].to;
      if (!network->edges[edge].room || network->seen[next] == search) continue;
      network->seen[next] = search;
      network->level[next] = network->level[node] + 1;
      network->current[next] = network->first[next];
      network->queue[tail++] = next;
    }
  }
  return network->seen[to] == search;
}

static uint64_t push_once(struct flow_network *network, uint32_t from, uint32_t to,
                          uint64_t limit) {
  for (uint32_t node = to; node != from;) {
    uint32_t edge = network->came_by[node];
    if (network->edges[edge].room < limit) limit = network->edges[edge].room;
    node = network->edges[edge ^ 1].to;
  }
  for (uint32_t node = to; node != from;) {
    uint32_t edge = network->came_by[node];
    network->edges[edge].room -= limit;
    network->edges[edge ^ 1].room += limit;
    node = network->edges[edge ^ 1].to;
  }
  return limit;
}

static bool leads_on(const struct flow_network *network, uint32_t node, uint32_t edge) {
  uint32_t next = network->edges[edge].to;
  return network->edges[edge].room && network->seen[next] == network->search &&
         network->level[next] == network->level[node] + 1;
}

/* Along all shortest paths. An edge that leads nowhere is not tried again. */
static uint64_t push_shortest(struct flow_network *network, uint32_t from, uint32_t to,
                              uint64_t limit) {
  uint64_t moved = 0;
  uint32_t node = from;
  while (moved < limit) {
    uint32_t edge = network->current[node];
    if (node == to) {
      moved += push_once(network, from, to, limit - moved);
      node = from;
    } else if (edge == NO_EDGE) {
      if (node == from) break;
      node = network->edges[network->came_by[node] ^ 1].to;
      network->current[node] = network->edges[network->current[node]].next;
    } else if (leads_on(network, node, edge)) {
      node = network->edges[edge].to;
      network->came_by[node] = edge;
    } else {
      network->current[node] = network->edges[edge].next;
    }
  }
  return moved;
}

uint64_t flow_push(struct flow_network *network, uint32_t from, uint32_t to, uint64_t limit) {
  uint64_t moved = 0;
  while (moved < limit && find_levels(network, from, to))
    moved += push_shortest(network, from, to, limit - moved);
  return moved;
}
