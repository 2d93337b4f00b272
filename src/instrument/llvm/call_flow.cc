// A function's flow graph, as counts see it, and where counters go, so that few are enough (Knuth;
// Ball and Larus, "Optimally profiling and tracing programs", 1994).
//
// Blocks are cut into pieces wherever control may be lost: at calls that may not come back (exit,
// longjmp, an exception, a thread that never ran again). Each piece is an edge, from its beginning
// to its end. At each node as much comes in as goes out. Node 0 is the outside: whoever calls the
// function, and whatever control was lost to or came back from. Nothing follows across it. The head
// of a loop that may never end is the outside, too, if there is a way round it past no such node.
//
// Only entries and pieces that call by name are to be known: the ends of all else are one. Of what
// is left, a spanning tree of the pieces that are executed most needs no counters. A tail call
// loses control like any other: behind it is only a return.
#include "instrument/llvm/counting_pass.h"

#include <llvm/IR/CFG.h>

#include <algorithm>
#include <map>

#include "instrument/common/round_search.h"

namespace ascribe {
namespace {

enum { OUTSIDE = 0 };

class builder {
public:
  builder(llvm::Function &function, function_estimates &estimates, bool at_every_call)
      : function(function), estimates(estimates), at_every_call(at_every_call) {}

  flow_graph build() {
    graph.add_node();
    graph.edges.push_back({OUTSIDE, OUTSIDE, 1, true, {}, true, true});
    for (llvm::BasicBlock &block : function)
      add_pieces(block);
    graph.edges[0].to = first_nodes[&function.getEntryBlock()];
    cut_loops();
    for (llvm::BasicBlock &block : function)
      for (llvm::BasicBlock *next : llvm::successors(&block))
        graph.join(last_nodes[&block], first_nodes[next]);
    return graph;
  }

private:
  llvm::Function &function;
  function_estimates &estimates;
  bool at_every_call;
  flow_graph graph;
  std::map<const llvm::BasicBlock *, size_t> first_nodes, last_nodes;

  size_t add_piece(const llvm::BasicBlock &block) {
    size_t from = graph.add_node(), to = graph.add_node();
    graph.edges.push_back({from, to, estimates.frequency(block), false, {}, false, false});
    return graph.edges.size() - 1;
  }

  void add_pieces(llvm::BasicBlock &block) {
    size_t piece = add_piece(block);
    first_nodes[&block] = graph.edges[piece].from;
    for (llvm::Instruction &instruction : block) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      bool counted = call && is_counted_call(*call), lost = may_lose_control(instruction);
      if (counted) graph.edges[piece].calls.push_back(call);
      if (lost) graph.join(graph.edges[piece].to, OUTSIDE);
      if (instruction.isTerminator() || !(lost || (counted && at_every_call))) continue;
      size_t before = graph.edges[piece].to;
      piece = add_piece(block);
      graph.join(graph.edges[piece].from, before);
    }
    last_nodes[&block] = graph.edges[piece].to;
    if (llvm::succ_empty(&block)) graph.join(last_nodes[&block], OUTSIDE);
  }

  void cut_loops() {
    round_search search(graph);
    for (const flow_edge &edge : graph.edges)
      search.add(edge.from, edge.to);
    for (llvm::BasicBlock &block : function)
      for (llvm::BasicBlock *next : llvm::successors(&block))
        if (!estimates.ends_surely(block, *next)) search.add(last_nodes[&block], first_nodes[next]);
    for (size_t node : search.find())
      graph.join(node, OUTSIDE);
  }
};

} // namespace

llvm::CallBase *first_call_by_name(const flow_edge &edge) {
  for (llvm::CallBase *call : edge.calls)
    if (called_by_name(*call)) return call;
  return nullptr;
}

flow_graph place_counters(llvm::Function &function, function_estimates &estimates,
                          const options &asked, bool counted_at_sites) {
  flow_graph graph = builder(function, estimates, asked.all_counters).build();
  std::vector<flow_edge *> order;
  for (flow_edge &edge : graph.edges) {
    edge.wanted = edge.is_entry || first_call_by_name(edge);
    if (!edge.wanted)
      graph.join(edge.from, edge.to);
    else if (!edge.is_entry)
      order.push_back(&edge);
  }
  std::stable_sort(order.begin(), order.end(), [](const flow_edge *a, const flow_edge *b) {
    return a->frequency > b->frequency;
  });
  flow_nodes tree;
  tree.nodes = graph.nodes;
  for (flow_edge *edge : order)
    edge->counted = !tree.join(edge->from, edge->to) || asked.all_counters;
  graph.edges[0].counted = !counted_at_sites;
  return graph;
}

} // namespace ascribe
