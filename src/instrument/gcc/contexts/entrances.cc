// Who calls a function of the unit, asked while the call graph is whole: bodies change later, but
// calls only vanish.
#include "instrument/gcc/contexts/context_hooks.h"

#include "calls.h"

namespace ascribe {
namespace {

std::set<unsigned> inner, inner_leaves, ended, defined; // DECL_UIDs

// Functions that were inlined stand below the one that has their text.
cgraph_node *text_of(cgraph_node *node) {
  return node->inlined_to ? node->inlined_to : node;
}

bool has_hooks(cgraph_node *node) {
  return !node->thunk && node->definition && chosen_by_name(node->decl);
}

bool all_callers_have_hooks(cgraph_node *node) {
  for (cgraph_edge *call = node->callers; call; call = call->next_caller)
    if (!has_hooks(text_of(call->caller))) return false;
  return node->callers != nullptr;
}

// The linker may drop a group of inline functions, so no site names a function in one.
bool is_inner(cgraph_node *node) {
  return optimize && !node->thunk && !node->alias && node->local && !node->address_taken &&
         !node->has_aliases_p() && !TREE_PUBLIC(node->decl) && !node->inlined_to &&
         !DECL_COMDAT_GROUP(node->decl) && !node->in_other_partition &&
         !node->used_from_other_partition && !asked.leaf_statements && has_hooks(node) &&
         all_callers_have_hooks(node);
}

bool calls_nobody(cgraph_node *node) {
  if (node->indirect_calls) return false;
  for (cgraph_edge *call = node->callees; call; call = call->next_callee) {
    int flags = flags_from_decl_or_type(call->callee->decl);
    bool harmless =
        fndecl_built_in_p(call->callee->decl) && (flags & ECF_LEAF) && !(flags & ECF_RETURNS_TWICE);
    if (call->inline_failed ? !harmless : !calls_nobody(call->callee)) return false;
  }
  return true;
}

bool only_copies(gimple *statement) {
  return is_gimple_debug(statement) || gimple_clobber_p(statement) ||
         gimple_code(statement) == GIMPLE_PREDICT || gimple_code(statement) == GIMPLE_NOP ||
         gimple_code(statement) == GIMPLE_LABEL || gimple_assign_single_p(statement) ||
         gimple_assign_cast_p(statement);
}

// Is there little between the call and the function's end? What optimisation takes away later may
// bring a call there that is not found here; that one is then kept from becoming a jump.
bool is_near_end(gimple *call) {
  basic_block block = gimple_bb(call);
  gimple_stmt_iterator at = gsi_for_stmt(call);
  gsi_next(&at);
  for (int blocks = 0; blocks < 8; blocks++) {
    for (; !gsi_end_p(at); gsi_next(&at)) {
      if (gimple_code(gsi_stmt(at)) == GIMPLE_RETURN) return true;
      if (!only_copies(gsi_stmt(at))) return false;
    }
    if (!single_succ_p(block)) return false;
    block = single_succ(block);
    at = gsi_start_bb(block);
  }
  return true;
}

bool may_end_a_caller(cgraph_node *node) {
  if (!flag_optimize_sibling_calls) return false;
  for (cgraph_edge *call = node->callers; call; call = call->next_caller)
    if (!call->call_stmt || !gimple_bb(call->call_stmt) || is_near_end(call->call_stmt))
      return true;
  return false;
}

} // namespace

void find_entrances() {
  cgraph_node *node;
  FOR_EACH_DEFINED_FUNCTION(node) {
    unsigned id = DECL_UID(node->decl);
    defined.insert(id);
    if (!is_inner(node)) continue;
    if (calls_nobody(node) && !is_piece(node->decl)) {
      inner_leaves.insert(id);
      continue;
    }
    inner.insert(id);
    if (is_piece(node->decl) || may_end_a_caller(node)) ended.insert(id);
  }
}

bool only_called_with_hooks(tree decl) {
  return inner.count(DECL_UID(decl)) != 0;
}

bool is_counted_leaf(tree decl) {
  return inner_leaves.count(DECL_UID(decl)) != 0;
}

bool may_end_callers(tree decl) {
  return !only_called_with_hooks(decl) || ended.count(DECL_UID(decl)) != 0;
}

bool has_text_here(tree decl) {
  return defined.count(DECL_UID(decl)) != 0;
}

} // namespace ascribe
