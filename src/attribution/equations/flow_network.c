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
  network->queue = memory_zeroed(node_count, sizeof *network->queue);
  for (uint32_t i = 0; i < node_count; i++)
    network->first[i] = NO_EDGE;
}

void flow_network_close(struct flow_network *network) {
  free(network->edges);
  free(network->first);
  free(network->came_by);
  free(network->seen);
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

/* A shortest path with room, in came_by. */
static bool find_path(struct flow_network *network, uint32_t from, uint32_t to) {
  uint32_t head = 0, tail = 0, search = ++network->search;
  network->queue[tail++] = from;
  network->seen[from] = search;
  while (head < tail && network->seen[to] != search) {
    uint32_t edge = network->first[network->queue[head++]];
    for (; edge != NO_EDGE; edge = network->edges[edge].next) {
      uint32_t next = network->edges[edge].to;
      if (!network->edges[edge].room || network->seen[next] == search) continue;
      network->seen[next] = search;
      network->came_by[next] = edge;
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

uint64_t flow_push(struct flow_network *network, uint32_t from, uint32_t to, uint64_t limit) {
  uint64_t moved = 0;
  while (moved < limit && find_path(network, from, to))
    moved += push_once(network, from, to, limit - moved);
  return moved;
}
