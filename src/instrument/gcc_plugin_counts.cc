// The counts way: a counter at each entry and each direct call, a table's slot for each indirect
// call and callee (include/ascribe/hook.h, "Counts").
#include "gcc_plugin.h"

#include "builtins.h"

#include "ascribe/counter_points.h"
#include "ascribe/hook.h"
#include "recording/layout.h"

namespace ascribe {
namespace {

// A statement that becomes a call.  Builtins may become anything.
bool is_call(gimple *statement) {
  gcall *call = dyn_cast<gcall *>(statement);
  if (!call || gimple_call_internal_p(call)) return false;
  tree callee = gimple_call_fndecl(call);
  return !callee || !fndecl_built_in_p(callee);
}

std::vector<gcall *> find_calls(function *fun) {
  std::vector<gcall *> calls;
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
    if (is_call(gsi_stmt(at))) calls.push_back(as_a<gcall *>(gsi_stmt(at)));
  return calls;
}

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
  std::vector<gcall *> calls = find_calls(fun);
  counted_function counted = describe_function(fun);
  count_at_entry(fun, add_counter(counted, POINT_ENTRY, nullptr));
  unsigned indirect = 0;
  for (gcall *call : calls) {
    if (gimple_call_fndecl(call)) {
      count_before(call, add_counter(counted, POINT_CALL, call));
    } else {
      add_point(counted, POINT_INDIRECT, call, indirect);
      count_callee(fun, call, indirect++);
    }
  }
  keep_description(counted);
}

} // namespace ascribe
