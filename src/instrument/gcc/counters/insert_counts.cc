// The counts way: counters that tell how often each function was entered and each direct call made,
// a table's slot for each indirect call and callee (include/ascribe/hook.h, "Counts").
#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/counters/probe.h"
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"
#include "instrument/gcc/target/assembly.h"

#include "dominance.h"
#include "tree-pass.h"

#include "ascribe/counter_points.h"
#include "ascribe/hook.h"
#include "recording/layout.h"

namespace ascribe {
namespace {

void count_before(gimple *statement, const counter_place &counter) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_before(&at, count(counter), GSI_SAME_STMT);
}

bool is_base_made_in(basic_block block, const counter_place &counter) {
  return counter.base && gimple_bb(SSA_NAME_DEF_STMT(counter.base)) == block;
}

// Right before what is counted: what is lost meanwhile was not executed.
void count_piece(const flow_edge &piece, const counter_place &counter) {
  if (gcall *call = first_call_by_name(piece)) {
    count_before(call, counter);
  } else if (piece.after) {
    gimple_stmt_iterator at = gsi_for_stmt(piece.after);
    gsi_insert_after(&at, count(counter), GSI_SAME_STMT);
  } else if (is_base_made_in(piece.block, counter)) {
    gimple_stmt_iterator at = gsi_for_stmt(SSA_NAME_DEF_STMT(counter.base));
    gsi_insert_after(&at, count(counter), GSI_SAME_STMT);
  } else {
    gimple_stmt_iterator at = gsi_after_labels(piece.block);
    gsi_insert_before(&at, count(counter), GSI_SAME_STMT);
  }
}

void count_flow(const flow_edge &edge, const counter_place &counter) {
  switch (edge.kind) {
  case flow_edge::ENTRY:
    appender(split_edge(edge.way)).add(count(counter));
    break;
  case flow_edge::PIECE:
    count_piece(edge, counter);
    break;
  case flow_edge::WAY:
    gsi_insert_on_edge(edge.way, count(counter));
    break;
  }
}

// Where a call through a pointer goes to another function than the cell's.
struct other_callee {
  tree callee;
  basic_block other, hit, rest;
};

// The n-th indirect call of a function is known by the function's address plus n: an address in its
// code, and no other function's. In what will be optimised it may be in other functions' code, or
// in none: there it is known by its cell.
tree site_of(appender &at, function *fun, unsigned ordinal, size_t cell) {
  if (asked.expressions) return counter_address(at, cell);
  tree self = at.widen(at.load(ptr_type_node, callee_address(fun)));
  return at.compute(PLUS_EXPR, self, u64(ordinal));
}

// Looks the callee up in the table, on an edge; in libraries.
void look_up_callee(function *fun, edge where, tree callee, unsigned ordinal, size_t cell) {
  probe called(where);
  appender at(called.from);
  key k;
  k.site = site_of(at, fun, ordinal, cell);
  k.context = u64(0);
  k.gate = load_gate_as_told(at);
  k.callee = at.compute(BIT_IOR_EXPR, callee, u64(CALL_INDIRECT));
  tree none = build_zero_cst(uint32_type_node);
  called.look_up(k, none, none);
}

tree cell_value(appender &at, const counter_place &cell) {
  if (for_shared_library()) return load_cell(at, cell.counter);
  if (cell.base) {
    HOST_WIDE_INT away = 8 * ((HOST_WIDE_INT)cell.counter - (HOST_WIDE_INT)cell.from);
    return at.load(long_unsigned_type_node, build2(MEM_REF, long_unsigned_type_node, cell.base,
                                                   build_int_cst(ptr_type_node, away)));
  }
  tree type = build_array_type_nelts(long_unsigned_type_node, cell.counter + 1);
  tree counters = local_symbol(".Lascribe_counters", type);
  return at.load(long_unsigned_type_node, build4(ARRAY_REF, long_unsigned_type_node, counters,
                                                 size_int(cell.counter), NULL_TREE, NULL_TREE));
}

// In a library: takes the cell for this callee if nobody has it; else looks in the table, if there
// is one.
void count_other_in_library(function *fun, const other_callee &its, tree known, size_t cell,
                            unsigned ordinal) {
  basic_block claim = make_rare_block(its.other, its.rest);
  basic_block look = make_rare_block(claim, its.rest), table = make_rare_block(look, its.rest);
  branch(its.other, known, u64(0), claim, look);
  appender at_claim(claim);
  branch(claim, claim_cell(at_claim, its.callee, cell), its.callee, its.hit, look);
  appender at_look(look);
  branch(look, load_unit_mask(at_look), u64(0), its.rest, table);
  edge out = make_edge(table, its.rest, EDGE_FALLTHRU);
  out->probability = profile_probability::always();
  look_up_callee(fun, out, its.callee, ordinal, cell);
}

// The call itself keeps a function from having a red zone, if it is one in the end: once tail calls
// were chosen, and if nothing may remove it.
bool may_have_red_zone(gcall *call) {
  bool is_late = cfun->curr_properties & PROP_gimple_lcx;
  return !is_late || gimple_call_tail_p(call) || gimple_call_flags(call) & (ECF_CONST | ECF_PURE);
}

void count_other(const other_callee &its, gcall *call, const counter_place &cell) {
  appender(its.other).add(count_other_callee(its.callee, cell, may_have_red_zone(call)));
  make_edge(its.other, its.rest, EDGE_FALLTHRU)->probability = profile_probability::always();
}

void count_callee_out_of_line(gcall *call, const counter_place &cell) {
  gimple_stmt_iterator at = gsi_for_stmt(call);
  gsi_insert_before(&at, count_call(called_pointer(call), cell, may_have_red_zone(call)),
                    GSI_SAME_STMT);
}

// Most sites call one function only: the first that is called has the site's cell, and a counter.
//
//     test -> hit -> call        test: is the callee the cell's?
//       \_ other ___/
void count_callee(function *fun, gcall *call, unsigned ordinal, const counter_place &cell) {
  if (is_counted_out_of_line(call)) {
    count_callee_out_of_line(call, cell);
    return;
  }
  basic_block test = split_edge(edge_before(call));
  basic_block hit = split_edge(single_succ_edge(test)), rest = single_succ(hit);
  free_dominance_info(CDI_DOMINATORS);
  free_dominance_info(CDI_POST_DOMINATORS);

  appender at(test);
  tree callee = at.widen(called_pointer(call)), known = cell_value(at, cell);
  at.add(gimple_build_cond(EQ_EXPR, known, callee, NULL_TREE, NULL_TREE));
  edge same = single_succ_edge(test);
  same->flags = (same->flags & ~EDGE_FALLTHRU) | EDGE_TRUE_VALUE;
  same->probability = profile_probability::very_likely();
  other_callee its = {callee, make_rare_block(hit, rest), hit, rest};
  make_edge(test, its.other, EDGE_FALSE_VALUE)->probability = profile_probability::very_unlikely();
  appender(hit).add(count({cell.counter + 1, cell.base, cell.from}));
  if (for_shared_library())
    count_other_in_library(fun, its, known, cell.counter, ordinal);
  else
    count_other(its, call, cell);
}

} // namespace

namespace {

// The counters go in before the code that looks up callees: that changes the flow graph.
void count_flows(flow_graph &graph, const counter_places &places, counted_function &counted) {
  for (const flow_edge &edge : graph.edges) {
    if (!edge.wanted) continue;
    bool entry = edge.kind == flow_edge::ENTRY;
    size_t counter = entry ? COUNTED_AT_SITES : NO_COUNTER;
    if (edge.counted) {
      count_flow(edge, places.at(&edge));
      counter = places.at(&edge).counter;
    }
    add_flow(counted, graph.node(edge.from), graph.node(edge.to), counter);
  }
  gsi_commit_edge_inserts();
}

void add_points(function *fun, const flow_graph &graph, const counter_places &places,
                counted_function &counted) {
  size_t flow = 0;
  unsigned indirect = 0;
  for (const flow_edge &edge : graph.edges) {
    if (edge.kind == flow_edge::ENTRY) add_point(counted, POINT_ENTRY, nullptr, flow, 0);
    for (gcall *call : edge.calls) {
      if (gimple_call_fndecl(call)) {
        add_point(counted, POINT_CALL, call, flow, 0);
        continue;
      }
      const counter_place &cell = places.at(call);
      add_point(counted, POINT_INDIRECT, call, edge.wanted ? flow : NO_FLOW, cell.counter);
      count_callee(fun, call, indirect++, cell);
    }
    flow += edge.wanted;
  }
}

} // namespace

// What is rarer than the function itself takes little time there, and a third of the bytes.
bool is_counted_out_of_line(gcall *call) {
  basic_block block = gimple_bb(call);
  return counts_by_segment() && !asked.expressions &&
         estimated_frequency(cfun, block->count, block) < 1;
}

gcall *first_call_by_name(const flow_edge &piece) {
  for (gcall *call : piece.calls)
    if (gimple_call_fndecl(call)) return call;
  return nullptr;
}

void insert_counts(function *fun) {
  flow_graph graph = place_counters(fun);
  counted_function counted = describe_function(fun);
  add_code(counted, graph);
  if (asked.expressions) {
    describe_expressions(fun, graph, counted);
    describe_lines(fun, graph, counted);
  }
  counter_places places = number_counters(fun, graph);
  count_flows(graph, places, counted);
  add_points(fun, graph, places, counted);
  keep_description(counted);
}

} // namespace ascribe
