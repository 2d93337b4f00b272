// Counters in all functions of a unit, before they are inlined into each other and optimised: what
// is counted is what the source executes.  Where a function goes, its counters go with it, and all
// copies count in the same ones.
#include "gcc_plugin.h"

#include "diagnostic-core.h"
#include "dominance.h"
#include "tree-into-ssa.h"
#include "tree-pass.h"

namespace ascribe {
namespace {

// Each function of the unit, as GCC's current one.
template <typename action> void for_each_function(action act) {
  cgraph_node *node;
  FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node) {
    function *fun = DECL_STRUCT_FUNCTION(node->decl);
    if (!fun || !fun->cfg || DECL_SOURCE_LOCATION(node->decl) == BUILTINS_LOCATION) continue;
    push_cfun(fun);
    act(node, fun);
    pop_cfun();
  }
}

// With counters in it a function does something: calls of it must not be left out or put together.
void forget_pure(cgraph_node *node) {
  node->set_const_flag(false, false);
  node->set_pure_flag(false, false);
}

void update_calls(function *fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
    if (is_gimple_call(gsi_stmt(at))) update_stmt(gsi_stmt(at));
}

} // namespace

void count_source() {
  find_resolvers();
  for_each_function([](cgraph_node *node, function *fun) {
    if (!chosen(fun)) return;
    if (asked.report)
      inform(UNKNOWN_LOCATION, "ascribe: %s", IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fun->decl)));
    if (counts_by_segment()) refuse_use_of_gs(fun);
    insert_counts(fun);
    forget_pure(node);
  });
  for_each_function([](cgraph_node *, function *fun) {
    update_calls(fun);
    free_dominance_info(CDI_DOMINATORS);
    free_dominance_info(CDI_POST_DOMINATORS);
    update_ssa(TODO_update_ssa);
    cgraph_edge::rebuild_edges();
  });
}

} // namespace ascribe
