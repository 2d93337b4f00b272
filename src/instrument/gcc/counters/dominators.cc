// Dominators of a graph: those nodes that every way from an entry to a node goes through. By
// iteration in reverse postorder (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm,
// 2001).
#include "instrument/gcc/counters/counter_graph.h"

#include <algorithm>

namespace ascribe {

enum : size_t { UNKNOWN = SIZE_MAX };

dominators::dominators(const std::vector<std::vector<size_t>> &next,
                       const std::vector<size_t> &entries)
    : from(next.size()), begin(next.size(), UNKNOWN), end(next.size()), met(next.size()) {
  for (size_t node = 0; node < next.size(); node++)
    for (size_t to : next[node])
      from[to].push_back(node);
  find_order(next, entries);
  find_parents(entries);
  find_intervals();
}

// Depth first, without recursion.
void dominators::find_order(const std::vector<std::vector<size_t>> &next,
                            const std::vector<size_t> &entries) {
  std::vector<std::pair<size_t, size_t>> way; // a node and how many of its successors were tried
  std::vector<bool> seen(next.size());
  for (size_t entry : entries) {
    if (seen[entry]) continue;
    seen[entry] = true;
    way.push_back({entry, 0});
    while (!way.empty()) {
      size_t node = way.back().first;
      if (way.back().second == next[node].size()) {
        order.push_back(node);
        way.pop_back();
        continue;
      }
      size_t to = next[node][way.back().second++];
      if (seen[to]) continue;
      seen[to] = true;
      way.push_back({to, 0});
    }
  }
  std::reverse(order.begin(), order.end());
}

// By positions in `order`, from 1 on; 0 is what leads to the entries.
void dominators::find_parents(const std::vector<size_t> &entries) {
  position.assign(from.size(), UNKNOWN);
  for (size_t i = 0; i < order.size(); i++)
    position[order[i]] = i + 1;
  parents.assign(order.size() + 1, UNKNOWN);
  parents[0] = 0;
  for (size_t entry : entries)
    parents[position[entry]] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t at = 1; at < parents.size(); at++) {
      size_t parent = parents[at];
      for (size_t node : from[order[at - 1]])
        if (position[node] != UNKNOWN && parents[position[node]] != UNKNOWN)
          parent = parent == UNKNOWN ? position[node] : common(parent, position[node]);
      changed |= parent != parents[at];
      parents[at] = parent;
    }
  }
}

size_t dominators::common(size_t one, size_t other) const {
  while (one != other)
    (one > other ? one : other) = parents[one > other ? one : other];
  return one;
}

// The nodes that each node dominates, by their numbers in a preorder walk of the tree.
void dominators::find_intervals() {
  std::vector<size_t> sizes(parents.size(), 1), unused(parents.size(), 1);
  for (size_t at = parents.size(); --at > 0;)
    sizes[parents[at]] += sizes[at];
  for (size_t at = 1; at < parents.size(); at++) {
    size_t node = order[at - 1];
    begin[node] = unused[parents[at]];
    end[node] = begin[node] + sizes[at];
    unused[parents[at]] = end[node];
    unused[at] = begin[node] + 1;
  }
}

bool dominators::dominates(size_t one, size_t other) const {
  return begin[one] != UNKNOWN && begin[one] <= begin[other] && begin[other] < end[one];
}

std::vector<size_t> dominators::sorted(std::vector<size_t> nodes) const {
  std::sort(nodes.begin(), nodes.end(),
            [this](size_t one, size_t other) { return begin[one] < begin[other]; });
  return nodes;
}

// Backwards from `other`: what leads there is dominated by `one`, too, and mostly little.
bool dominators::always_between(size_t one, size_t other) {
  std::vector<size_t> waiting = {other};
  searches++;
  while (!waiting.empty()) {
    size_t node = waiting.back();
    waiting.pop_back();
    for (size_t before : from[node]) {
      if (before == other) return false;
      if (before == one || met[before] == searches) continue;
      met[before] = searches;
      waiting.push_back(before);
    }
  }
  return true;
}

} // namespace ascribe
