// Loops of a flow graph in which control may stay, so that nothing can be derived across them.
#ifndef ASCRIBE_INSTRUMENT_ROUND_SEARCH_H
#define ASCRIBE_INSTRUMENT_ROUND_SEARCH_H

#include "instrument/common/flow_nodes.h"

#include <utility>

namespace ascribe {

// A depth-first search past the outside, node 0: where it comes back to a node that it has not left
// yet is a loop without the outside.
class round_search {
public:
  explicit round_search(flow_nodes &graph) : graph(graph), next(graph.nodes.size()) {}
  void add(size_t from, size_t to) { next[graph.node(from)].push_back(graph.node(to)); }

  // The nodes that all such loops go through.
  std::vector<size_t> find() {
    states.assign(next.size(), NEW);
    for (size_t node = OUTSIDE + 1; node < next.size(); node++)
      for (begin(node); !way.empty();)
        go_on();
    return found;
  }

private:
  enum { OUTSIDE = 0 };
  enum state { NEW, ON_WAY, LEFT };
  flow_nodes &graph;
  std::vector<std::vector<size_t>> next;
  std::vector<state> states;
  std::vector<std::pair<size_t, size_t>> way; // nodes, and how many of the next were looked at
  std::vector<size_t> found;

  void begin(size_t node) {
    if (node == OUTSIDE || states[node] == LEFT) return;
    if (states[node] == ON_WAY) {
      found.push_back(node);
      return;
    }
    states[node] = ON_WAY;
    way.push_back({node, 0});
  }

  void go_on() {
    size_t node = way.back().first, looked = way.back().second++;
    if (looked < next[node].size()) {
      begin(next[node][looked]);
      return;
    }
    states[node] = LEFT;
    way.pop_back();
  }
};

} // namespace ascribe

#endif
