// The entry sequence of include/ascribe/hook.h, in GIMPLE.
#include "instrument/gcc/contexts/context_hooks.h"
#include "instrument/gcc/target/assembly.h"

#include "ascribe/hook.h"

namespace ascribe {
namespace {

tree return_address(appender &at) {
  tree pointer = make_temp_ssa_name(ptr_type_node, nullptr, "ascribe_site");
  gcall *call =
      gimple_build_call(the_contract().return_address, 1, build_int_cst(unsigned_type_node, 0));
  gimple_call_set_lhs(call, pointer);
  at.add(call);
  return at.widen(pointer);
}

// The context is loaded as 64 bits and its lower half kept for the exits, from the same register:
// GCC would fold a widened copy back and then need two.
tree load_context(appender &at, tree offset) {
  if (offset) return load_context_at(at, offset);
  return opaque(at, at.widen(at.load(uint32_type_node, cell_field(the_contract().cell_context))));
}

// What the exits restore: a piece takes note that its function goes on in it, and nobody else.
tree caller_of(appender &at, function *fun, tree context) {
  if (!is_piece(fun->decl)) return context;
  tree caller = make_temp_ssa_name(uint32_type_node, nullptr, "ascribe_caller");
  tree mask = build_int_cstu(uint32_type_node, ~ASCRIBE_CONTINUES);
  at.add(gimple_build_assign(caller, BIT_AND_EXPR, context, mask));
  return caller;
}

} // namespace

contexts insert_entry(function *fun) {
  probe entered(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)));
  appender at(entered.from);
  tree offset = cell_offset(at);
  key k;
  k.context = load_context(at, offset);
  k.gate = load_gate(at, offset);
  k.callee = at.widen(at.load(ptr_type_node, callee_address(fun)));
  k.site = return_address(at);
  tree context = make_temp_ssa_name(uint32_type_node, nullptr, "ascribe_context");
  at.add(gimple_build_assign(context, NOP_EXPR, k.context));
  tree caller = caller_of(at, fun, context);
  tree own = entered.look_up(k, context, caller);
  appender(entered.join).add_sequence(store_context(own, offset));
  return {caller, own};
}

} // namespace ascribe
