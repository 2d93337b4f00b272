// Nodes of a flow graph that become one another: a union-find, for placing counters.
#ifndef ASCRIBE_INSTRUMENT_FLOW_NODES_H
#define ASCRIBE_INSTRUMENT_FLOW_NODES_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ascribe {

struct flow_nodes {
  std::vector<size_t> nodes; // those that are one have one representative, the least of them

  size_t add_node() {
    nodes.push_back(nodes.size());
    return nodes.size() - 1;
  }
  size_t node(size_t node) { // its representative
    while (nodes[node] != node)
      node = nodes[node] = nodes[nodes[node]];
    return node;
  }
  bool join(size_t one, size_t other) { // they are one now; false: they were
    one = node(one), other = node(other);
    nodes[std::max(one, other)] = std::min(one, other);
    return one != other;
  }
};

} // namespace ascribe

#endif
