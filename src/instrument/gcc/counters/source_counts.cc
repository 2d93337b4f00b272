// Counters in all functions of a unit, before they are inlined into each other and optimised: what
// is counted is what the source executes.  Where a function goes, its counters go with it, and all
// copies count in the same ones.
#include "instrument/gcc/counters/counter_graph.h"

#include "attribs.h"
#include "diagnostic-core.h"
#include "dominance.h"
#include "ipa-utils.h"
#include "tree-into-ssa.h"
#include "tree-pass.h"

namespace ascribe {
namespace {

// Some functions have a body only so that calls of them can be inlined; their code is elsewhere.
// In system headers (`extern template`, glibc's inline functions) it is a library's, whose calls
// are not counted: then those that were inlined are not, either.  What is always inlined is counted
// as far as something calls it.
class inline_bodies {
public:
  inline_bodies() {
    cgraph_node *node;
    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node) if (!is_one(node)) add_callees(node);
  }

  bool is_counted(cgraph_node *node) const { return !is_one(node) || called.count(node); }

private:
  std::set<cgraph_node *> called;

  static bool is_always_inlined(cgraph_node *node) {
    return lookup_attribute("always_inline", DECL_ATTRIBUTES(node->decl)) != NULL_TREE;
  }

  static bool is_one(cgraph_node *node) {
    return DECL_EXTERNAL(node->decl) &&
           (is_always_inlined(node) || in_system_header_at(DECL_SOURCE_LOCATION(node->decl)));
  }

  void add_callees(cgraph_node *node) {
    for (cgraph_edge *call = node->callees; call; call = call->next_callee) {
      cgraph_node *callee = call->callee->ultimate_alias_target();
      if (is_one(callee) && is_always_inlined(callee) && called.insert(callee).second)
        add_callees(callee);
    }
  }
};

const inline_bodies &the_inline_bodies() {
  static const inline_bodies found;
  return found;
}

bool has_source(cgraph_node *node) {
  function *fun = DECL_STRUCT_FUNCTION(node->decl);
  return node->has_gimple_body_p() && fun && fun->cfg &&
         DECL_SOURCE_LOCATION(node->decl) != BUILTINS_LOCATION &&
         the_inline_bodies().is_counted(node);
}

// Each function of the unit that may be counted, as GCC's current one; what it calls comes first.
template <typename action> void for_each_function(action act) {
  std::vector<cgraph_node *> order(symtab->cgraph_count);
  int count = ipa_reverse_postorder(order.data());
  while (count-- > 0) {
    if (!has_source(order[count])) continue;
    function *fun = DECL_STRUCT_FUNCTION(order[count]->decl);
    push_cfun(fun);
    act(order[count], fun);
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

bool counts_in_source(cgraph_node *node) {
  return has_source(node) && chosen_by_name(node->decl);
}

void count_source() {
  find_resolvers();
  the_inline_bodies();
  for_each_function([](cgraph_node *, function *fun) {
    if (!chosen(fun)) return;
    if (asked.report)
      inform(UNKNOWN_LOCATION, "ascribe: %s", IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fun->decl)));
    if (counts_by_segment()) refuse_use_of_gs(fun);
    insert_counts(fun);
  });
  for_each_function([](cgraph_node *node, function *fun) {
    if (chosen(fun)) forget_pure(node);
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
