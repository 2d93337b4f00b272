// The counts way: counters that tell how often each function was entered and each direct call made,
// a table's slot for each indirect call and callee (include/ascribe/hook.h, "Counts").
#include "gcc_plugin.h"

#include "ascribe/counter_points.h"
#include "ascribe/hook.h"
#include "recording/layout.h"

#include <map>

namespace ascribe {
namespace {

void count_at_entry(function *fun, size_t counter) {
  basic_block block = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)));
  appender(block).add(count(counter));
}

void count_before(gimple *statement, size_t counter) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_before(&at, count(counter), GSI_SAME_STMT);
}

tree called_address(appender &at, gcall *call) {
  tree callee = gimple_call_fn(call);
  if (TREE_CODE(callee) == OBJ_TYPE_REF) callee = OBJ_TYPE_REF_EXPR(callee);
  return at.widen(callee);
}

edge edge_before(gimple *statement) {
  gimple_stmt_iterator before = gsi_for_stmt(statement);
  gsi_prev(&before);
  basic_block block = gimple_bb(statement);
  return gsi_end_p(before) ? split_block_after_labels(block) : split_block(block, gsi_stmt(before));
}

// The site of the n-th indirect call of a function is the function's address plus n: an address
// in its code, and no other function's.
void count_callee(function *fun, gcall *call, unsigned ordinal) {
  probe called(edge_before(call));
  appender at(called.from);
  tree callee = called_address(at, call);
  tree self = at.widen(at.load(ptr_type_node, callee_address(fun)));
  key k;
  k.context = u64(0);
  k.gate = load_gate(at, cell_offset(at));
  k.callee = at.compute(BIT_IOR_EXPR, callee, u64(CALL_INDIRECT));
  k.site = at.compute(PLUS_EXPR, self, u64(ordinal));
  called.look_up(k, build_zero_cst(uint32_type_node));
}

} // namespace

void insert_counts(function *fun) {
  std::vector<planned_point> points = plan_counters(fun);
  counted_function counted = describe_function(fun);
  std::map<size_t, size_t> counters = {{planned_point::NONE, NO_COUNTER}}; // by run
  unsigned indirect = 0;
  for (const planned_point &point : points) {
    bool is_entry = point.kind == planned_point::ENTRY;
    if (!is_entry && !gimple_call_fndecl(point.call)) {
      add_point(counted, POINT_INDIRECT, point.call, indirect);
      count_callee(fun, point.call, indirect++);
      continue;
    }
    if (point.first) {
      size_t counter = counters[point.run] = new_counter();
      is_entry ? count_at_entry(fun, counter) : count_before(point.call, counter);
    }
    add_point(counted, is_entry ? POINT_ENTRY : POINT_CALL, point.call, counters[point.run]);
  }
  keep_description(counted);
}

} // namespace ascribe
