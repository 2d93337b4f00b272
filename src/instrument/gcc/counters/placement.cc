// Where counters go, so that few are enough (Knuth; Ball and Larus, "Optimally profiling and
// tracing programs", 1994).
//
// At each node of the flow graph as much comes in as goes out.  So the edges of a spanning tree
// need no counter: what flows along them follows from the others.  The tree takes the edges that
// are executed most, as GCC estimates it.  An edge that nobody asks for needs to be known no more
// than counted: its nodes are taken for one, before there is a tree.
//
// The entry has a counter whatever the tree says: it is right even if control is lost in the middle
// of a piece.  A function that only this unit can call, by its name, was entered as often as its
// call sites say: then its entry has none, but counts as known.
#include "instrument/gcc/counters/counter_graph.h"

#include <algorithm>
#include <map>

namespace ascribe {
namespace {

bool is_counted_everywhere(cgraph_node *node) {
  return node->thunk || (chosen_by_name(node->decl) && !asked.leaf_statements);
}

// A function of the unit without counters may call any other.
bool find_all_counted() {
  cgraph_node *node;
  FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
  if (!is_counted_everywhere(node)) return false;
  return true;
}

bool all_are_counted() {
  static const bool all = find_all_counted();
  return all;
}

// Its call sites, all in this unit, could count its entries.  Calls of pure functions may be
// dropped after they were counted.
bool has_all_sites_here(cgraph_node *node) {
  tree decl = node->decl;
  return node->local && !node->used_from_other_partition && !node->address_taken &&
         !node->has_aliases_p() && !TREE_PUBLIC(decl) && !DECL_PURE_P(decl) &&
         !TREE_READONLY(decl) && !fndecl_built_in_p(decl);
}

// Where such functions call each other in a circle, their call sites might follow from their
// entries. So one of each circle has a counter at its entry: the one that a depth-first search
// comes back to.
class circles {
public:
  circles() {
    cgraph_node *node;
    FOR_EACH_DEFINED_FUNCTION(node) {
      begin(node);
      while (!steps.empty())
        go_on();
    }
  }
  bool are_closed_by(tree decl) const { return closing.count(DECL_UID(decl)) != 0; }

private:
  struct step {
    cgraph_node *node; // null: the body of a function that was inlined
    cgraph_edge *call;
  };
  std::vector<step> steps; // the way of the search: call chains may be too long for recursion
  std::map<cgraph_node *, bool> on_way; // of those that were met
  std::set<unsigned> closing;

  void begin(cgraph_node *node) {
    if (!has_all_sites_here(node) || !on_way.insert({node, true}).second) return;
    steps.push_back({node, node->callees});
  }

  void go_on() {
    step &last = steps.back();
    if (!last.call) {
      if (last.node) on_way[last.node] = false;
      steps.pop_back();
      return;
    }
    cgraph_edge *call = last.call;
    last.call = call->next_callee;
    if (!call->inline_failed) { // what was inlined calls from here
      steps.push_back({nullptr, call->callee->callees});
      return;
    }
    cgraph_node *callee = call->callee->ultimate_alias_target();
    auto met = on_way.find(callee);
    if (met != on_way.end() && met->second) closing.insert(DECL_UID(callee->decl));
    begin(callee);
  }
};

const circles &the_circles() {
  static const circles all;
  return all;
}

// Before optimisation it is known what calls it.
bool are_callers_counted(cgraph_node *node) {
  if (!asked.expressions) return all_are_counted();
  for (cgraph_edge *call = node->callers; call; call = call->next_caller)
    if (!counts_in_source(call->caller)) return false;
  return true;
}

bool is_counted_by_sites(function *fun) {
  cgraph_node *node = cgraph_node::get(fun->decl);
  return !asked.all_counters && node && has_all_sites_here(node) &&
         !the_circles().are_closed_by(fun->decl) && are_callers_counted(node);
}

bool calls_by_name(const flow_edge &edge) {
  for (gcall *call : edge.calls)
    if (gimple_call_fndecl(call)) return true;
  return false;
}

bool is_wanted(const flow_edge &edge) {
  return edge.kind == flow_edge::ENTRY || asked.expressions || calls_by_name(edge);
}

// On a way between two blocks a counter may need a block and a jump of its own; of those that are
// executed equally often it is rather in a piece. No counter behind what may be a jump.
bool goes_first(const flow_edge *one, const flow_edge *other) {
  if (one->behind_jump != other->behind_jump) return one->behind_jump;
  if (one->frequency != other->frequency) return one->frequency > other->frequency;
  return one->kind == flow_edge::WAY && other->kind != flow_edge::WAY;
}

} // namespace

void find_callers() {
  all_are_counted();
  the_circles();
}

// A statement that becomes a call of what may have counters.  Builtins may become anything.
bool is_counted_call(gimple *statement) {
  gcall *call = dyn_cast<gcall *>(statement);
  if (!call || gimple_call_internal_p(call)) return false;
  tree callee = gimple_call_fndecl(call);
  return !callee || !(fndecl_built_in_p(callee) || is_of_libc(callee));
}

flow_graph place_counters(function *fun) {
  flow_graph graph = build_flow_graph(fun, asked.all_counters || asked.expressions);
  std::vector<flow_edge *> order;
  for (flow_edge &edge : graph.edges) {
    edge.wanted = is_wanted(edge);
    if (!edge.wanted)
      graph.join(edge.from, edge.to);
    else if (edge.kind != flow_edge::ENTRY)
      order.push_back(&edge);
  }
  std::stable_sort(order.begin(), order.end(), goes_first);
  flow_graph tree;
  tree.nodes = graph.nodes;
  for (flow_edge *edge : order)
    edge->counted = !tree.join(edge->from, edge->to) || (asked.all_counters && !edge->behind_jump);
  graph.edges[0].counted = !is_counted_by_sites(fun);
  return graph;
}

} // namespace ascribe
