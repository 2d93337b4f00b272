// Counters: the flow graph of a function, where counters are placed in it, and putting them in.
#ifndef ASCRIBE_INSTRUMENT_GCC_COUNTER_GRAPH_H
#define ASCRIBE_INSTRUMENT_GCC_COUNTER_GRAPH_H

#include "instrument/common/flow_nodes.h"

#include "instrument/gcc/target/assembly.h"

namespace ascribe {

// estimates.cc: how often blocks are executed, and ways between them taken, each time
// that the function is entered, before GCC has estimates. Ways back are marked.
struct flow_estimates {
  std::vector<double> blocks; // by index
  std::map<edge, double> ways;
};
flow_estimates estimate_flow(function *fun);

// flow.cc: the flow graph of a function.
struct flow_edge {
  enum { ENTRY, PIECE, WAY } kind; // into the function; straight through code; from block to block
  size_t from, to;                 // nodes
  double frequency;                // of an entry: 1
  gimple *after = nullptr; // of a piece: the statement it begins behind; null: the block's first
  edge way = nullptr;      // of the others
  basic_block block = nullptr;           // of a piece
  std::vector<gcall *> calls = {};       // of a piece: those that are counted
  std::vector<gimple *> statements = {}; // of a piece: all
  bool wanted = false;                   // it is to be known how much flows here
  bool behind_jump = false; // of the return that a jump stands for: a counter would miss the jump
  bool counted = false;     // there is a counter here; else that follows from the others
};
struct flow_graph : flow_nodes {
  std::vector<flow_edge> edges; // the entry comes first
};
// How often it is executed each time that the function is entered; `block`: where it is.
double estimated_frequency(function *fun, profile_count count, basic_block block);
// Pieces end at every call that is counted, or only where control may be lost.
flow_graph build_flow_graph(function *fun, bool at_every_call);

// placement.cc: what is to be counted in a function, and by which counters.
bool is_counted_call(gimple *statement);
flow_graph place_counters(function *fun);
// Called once, as find_resolvers.
void find_callers();

// libc_callees.cc
bool is_of_libc(tree callee);

// insert_counts.cc: the counters of a function.
void insert_counts(function *fun);
gcall *first_call_by_name(const flow_edge &piece); // or null
bool is_counted_out_of_line(gcall *call);          // one through a pointer

// bases.cc: the counters of flow edges that have one, and the first of the two that
// calls through pointers have, by their address. Puts in what loads the bases.
using counter_places = std::map<const void *, counter_place>;
counter_places number_counters(function *fun, const flow_graph &graph);

// dominators.cc: which nodes of a graph control has to pass on its way to others.
class dominators {
public:
  // `next`: of each node, where control may go from it; it begins at any of the entries.
  dominators(const std::vector<std::vector<size_t>> &next, const std::vector<size_t> &entries);
  bool dominates(size_t one, size_t other) const; // false, if control never gets to one of them
  // In an order in which each comes behind those that dominate it, and those that it dominates come
  // right behind it.
  std::vector<size_t> sorted(std::vector<size_t> nodes) const;
  // Does control that comes to `other`, which `one` dominates, pass `one` before it comes again?
  bool always_between(size_t one, size_t other);

private:
  std::vector<std::vector<size_t>> from;
  std::vector<size_t> order, position, parents;
  std::vector<size_t> begin, end; // by node
  std::vector<size_t> met;        // by node: the last search that met it
  size_t searches = 0;

  void find_order(const std::vector<std::vector<size_t>> &next, const std::vector<size_t> &entries);
  void find_parents(const std::vector<size_t> &entries);
  size_t common(size_t one, size_t other) const;
  void find_intervals();
};

// source_counts.cc: counters in all functions of the unit, before they are optimised; and
// whether a function's code is among that.
void count_source();
bool counts_in_source(cgraph_node *node);

} // namespace ascribe

#endif
