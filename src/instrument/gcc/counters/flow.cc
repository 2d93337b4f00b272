// A function's flow graph, as counts see it.
//
// GCC's blocks are cut into pieces wherever control may be lost: at calls that may not come back
// (exit, longjmp, an exception, a thread that never ran again).  Each piece is an edge, from its
// beginning to its end, so that what flows along the edges is how often each piece was executed,
// and how often control went each way.  At each node as much comes in as goes out.
//
// Node 0 is the outside: whoever calls the function, and whatever control was lost to or came back
// from.  Where it may be lost or come back, the node is the outside, too: nothing follows then from
// what was executed on one side of it for the other.  So is the head of a loop that may never end,
// if there is a way round it past no such node.
//
// A tail call that becomes a jump stands for the return behind it, which was executed as often as
// control came to the call.
#include "instrument/common/round_search.h"

#include "instrument/gcc/counters/counter_graph.h"

#include "builtins.h"
#include "cfganal.h"
#include "cfgloop.h"
#include "langhooks.h"
#include "sreal.h"
#include "tree-eh.h"
#include "varasm.h"

#include <cmath>

namespace ascribe {
namespace {

enum { OUTSIDE = 0 };

// DECL_UIDs of functions of the unit that, once entered, come back.  Callees are compiled first.
std::set<unsigned> returning;

// GCC takes these for any other function. The program is another one then.
bool replaces_program(tree callee) {
  for (built_in_function each : {BUILT_IN_EXECL, BUILT_IN_EXECLE, BUILT_IN_EXECLP, BUILT_IN_EXECV,
                                 BUILT_IN_EXECVE, BUILT_IN_EXECVP})
    if (fndecl_built_in_p(callee, each)) return true;
  return false;
}

bool is_harmless_builtin(tree callee, int flags) {
  return fndecl_built_in_p(callee) && (flags & ECF_LEAF) && (flags & ECF_NOTHROW) &&
         !(flags & (ECF_NORETURN | ECF_RETURNS_TWICE)) && !replaces_program(callee);
}

// By what is said or known of its effects.
bool is_computation(int flags) {
  return (flags & (ECF_CONST | ECF_PURE)) && (flags & ECF_NOTHROW) &&
         !(flags & (ECF_LOOPING_CONST_OR_PURE | ECF_NORETURN));
}

bool comes_back(gcall *call) {
  if (gimple_call_internal_p(call)) return !gimple_call_internal_p(call, IFN_ABNORMAL_DISPATCHER);
  tree callee = gimple_call_fndecl(call);
  if (!callee) return false;
  int flags = gimple_call_flags(call);
  return is_harmless_builtin(callee, flags) || is_computation(flags) ||
         returning.count(DECL_UID(callee));
}

// Control may be lost here.
bool may_lose_control(function *fun, gimple *statement) {
  if (gasm *text = dyn_cast<gasm *>(statement)) return gimple_asm_volatile_p(text);
  if (gcall *call = dyn_cast<gcall *>(statement)) return !comes_back(call);
  return stmt_could_throw_p(fun, statement);
}

// Nothing may come between a call that becomes a jump and the return.
bool may_be_jump(gimple *statement) {
  gcall *call = dyn_cast<gcall *>(statement);
  return call && gimple_call_tail_p(call);
}

bool binds_here(tree decl) {
  return !TREE_PUBLIC(decl) || decl_binds_to_current_def_p(decl);
}

bool ends_surely(edge back) {
  if (!current_loops || !back->dest->loop_father) return false;
  const class loop *around = back->dest->loop_father;
  return around->header == back->dest && (around->finite_p || around->any_upper_bound);
}

// GNU Fortran gives the labels of SELECT CASE the place of the statement before them.
bool is_misplaced(gimple *statement) {
  static const bool fortran = lang_GNU_Fortran();
  glabel *label = dyn_cast<glabel *>(statement);
  return fortran && label && DECL_ARTIFICIAL(gimple_label_label(label));
}

class builder {
public:
  builder(function *fun, bool at_every_call) : fun(fun), at_every_call(at_every_call) {}

  flow_graph build() {
    basic_block block;
    graph.nodes.push_back(OUTSIDE);
    first_nodes.resize(last_basic_block_for_fn(fun));
    last_nodes.resize(last_basic_block_for_fn(fun));
    mark_dfs_back_edges(fun);
    if (asked.expressions) estimates = estimate_flow(fun);
    edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));
    graph.edges.push_back({flow_edge::ENTRY, OUTSIDE, OUTSIDE, 1, nullptr, entry});
    FOR_EACH_BB_FN(block, fun)
      add_pieces(block);
    graph.edges[0].to = first_nodes[entry->dest->index];
    FOR_EACH_BB_FN(block, fun)
      add_ways(block);
    cut_loops();
    FOR_EACH_BB_FN(block, fun) {
      gimple *last = last_nondebug_stmt(block);
      if (last && may_be_jump(last) && single_succ_p(block)) note_behind_jump(single_succ(block));
    }
    for (flow_edge &edge : graph.edges)
      edge.behind_jump = behind_jump.count(edge.way ? edge.way->src : edge.block) != 0;
    if (!loses && binds_here(fun->decl)) returning.insert(DECL_UID(fun->decl));
    return graph;
  }

private:
  function *fun;
  bool at_every_call;
  flow_graph graph;
  bool loses = false;
  std::vector<size_t> first_nodes, last_nodes; // by block
  block_set behind_jump;
  flow_estimates estimates; // of the source

  double frequency(basic_block block) {
    if (asked.expressions) return estimates.blocks[block->index];
    return estimated_frequency(fun, block->count, block);
  }
  double frequency(edge way) {
    if (asked.expressions) return estimates.ways[way];
    return estimated_frequency(fun, way->count(), shallower(way));
  }

  flow_edge &add_piece(basic_block block, gimple *after) {
    size_t from = graph.add_node(), to = graph.add_node();
    graph.edges.push_back({flow_edge::PIECE, from, to, frequency(block), after, nullptr, block});
    return graph.edges.back();
  }

  void lose(size_t node) {
    loses = true;
    graph.join(node, OUTSIDE);
  }

  void add_pieces(basic_block block) {
    if (is_dispatcher(block)) return; // its nodes are the outside
    size_t piece = graph.edges.size();
    first_nodes[block->index] = add_piece(block, nullptr).from;
    for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
         gsi_next_nondebug(&at)) {
      gimple *statement = gsi_stmt(at);
      bool lost = may_lose_control(fun, statement), counted = is_counted_call(statement);
      if (!is_misplaced(statement)) graph.edges[piece].statements.push_back(statement);
      if (counted) graph.edges[piece].calls.push_back(as_a<gcall *>(statement));
      loses |= lost;
      if (may_be_jump(statement)) continue;
      if (lost) lose(graph.edges[piece].to);
      bool cut = lost || (counted && at_every_call);
      if (!cut || gsi_one_nondebug_before_end_p(at)) continue;
      size_t before = graph.edges[piece].to;
      piece = graph.edges.size();
      graph.join(add_piece(block, statement).from, before);
    }
    last_nodes[block->index] = graph.edges[piece].to;
    if (EDGE_COUNT(block->succs) == 0) graph.join(last_nodes[block->index], OUTSIDE);
  }

  // Nothing but a return is behind a tail call.
  void note_behind_jump(basic_block block) {
    while (block != EXIT_BLOCK_PTR_FOR_FN(fun) && behind_jump.insert(block).second &&
           single_succ_p(block))
      block = single_succ(block);
  }

  static basic_block shallower(edge way) {
    return bb_loop_depth(way->src) < bb_loop_depth(way->dest) ? way->src : way->dest;
  }

  // No code: it stands for all places that control may come to from a call.
  static bool is_dispatcher(basic_block block) {
    gimple *last = last_nondebug_stmt(block);
    return last && gimple_call_internal_p(last, IFN_ABNORMAL_DISPATCHER);
  }

  // What an exception leads to needs no counters of its own, but where lines are counted: which may
  // lie on both sides.
  static bool may_have_counter(edge way) {
    return !(way->flags & EDGE_ABNORMAL) && (asked.expressions || !(way->flags & EDGE_EH));
  }

  void add_ways(basic_block block) {
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, block->succs) {
      size_t from = last_nodes[block->index];
      if (way->dest == EXIT_BLOCK_PTR_FOR_FN(fun)) {
        graph.join(from, OUTSIDE);
        continue;
      }
      size_t to = first_nodes[way->dest->index];
      gimple *last = last_nondebug_stmt(block);
      if (!may_have_counter(way) || (last && may_be_jump(last)))
        graph.join(from, to);
      else
        graph.edges.push_back({flow_edge::WAY, from, to, frequency(way), nullptr, way});
    }
  }

  // Control may stay in a loop that does not surely end.
  void cut_loops() {
    round_search search(graph);
    for (const flow_edge &edge : graph.edges)
      if (!edge.way || !(edge.way->flags & EDGE_DFS_BACK) || !ends_surely(edge.way))
        search.add(edge.from, edge.to);
    for (size_t node : search.find())
      lose(node);
  }
};

} // namespace

// Before GCC has estimates loops tell: eight rounds each.
double estimated_frequency(function *fun, profile_count count, basic_block block) {
  bool known;
  sreal times = count.to_sreal_scale(ENTRY_BLOCK_PTR_FOR_FN(fun)->count, &known);
  if (known) return times.to_double();
  return ldexp(1, 3 * std::min(current_loops ? bb_loop_depth(block) : 0, 100));
}

flow_graph build_flow_graph(function *fun, bool at_every_call) {
  return builder(fun, at_every_call).build();
}

} // namespace ascribe
