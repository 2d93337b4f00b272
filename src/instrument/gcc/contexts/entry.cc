// The own row at a function's entry (include/ascribe/hook.h).
#include "instrument/gcc/contexts/context_hooks.h"

#include "dominance.h"

#include "ascribe/hook.h"

namespace ascribe {

tree row_field(tree row, tree type, int offset) {
  tree reference = build2(MEM_REF, type, row, build_int_cst(build_pointer_type(type), offset));
  TREE_THIS_NOTRAP(reference) = 1;
  return reference;
}

tree frame_address(appender &at) {
  tree pointer = make_temp_ssa_name(ptr_type_node, nullptr, "ascribe_frame");
  gcall *call = gimple_build_call(the_contract().frame_address, 0);
  gimple_call_set_lhs(call, pointer);
  at.add(call);
  return at.widen(pointer);
}

namespace {

// Nothing is recorded: the row as it is without its tag.
tree stand_by(basic_block block, tree row) {
  appender at(block);
  tree tag = u64(~(uint64_t)ASCRIBE_ROW_TAG);
  tree address = at.compute(BIT_AND_EXPR, at.widen(row), tag);
  return at.load(ptr_type_node, build1(NOP_EXPR, ptr_type_node, address));
}

bool is_pointer_argument(tree argument) {
  return argument && POINTER_TYPE_P(TREE_TYPE(argument));
}

} // namespace

// void (int), void (int, siginfo_t *, void *), and of old void () if it is passed on in this unit.
bool may_be_handler(tree decl) {
  if (!VOID_TYPE_P(TREE_TYPE(TREE_TYPE(decl)))) return false;
  tree signal = DECL_ARGUMENTS(decl);
  cgraph_node *node = cgraph_node::get(decl);
  if (!signal) return node && node->address_taken;
  if (TYPE_MAIN_VARIANT(TREE_TYPE(signal)) != integer_type_node) return false;
  tree info = DECL_CHAIN(signal);
  if (!info) return true;
  tree context = DECL_CHAIN(info);
  return is_pointer_argument(info) && is_pointer_argument(context) && !DECL_CHAIN(context);
}

tree keep_tagged(tree own) {
  appender at(gimple_bb(SSA_NAME_DEF_STMT(own)));
  tree address = at.compute(BIT_IOR_EXPR, at.widen(own), u64(ASCRIBE_ROW_TAG));
  tree tagged = at.load(ptr_type_node, build1(NOP_EXPR, ptr_type_node, address));
  at.add_sequence(store_row(tagged));
  return tagged;
}

tree insert_entry(function *fun, size_t number, bool tests) {
  edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));
  basic_block head = split_edge(entry);
  appender at(head);
  tree row = load_row(at);
  if (!tests) return row;
  basic_block join = next_block(head);
  basic_block rare = make_rare_block(join, join);
  basic_block standby = make_rare_block(rare, join), slow = make_rare_block(standby, join);
  tree function = at.load(uint32_type_node, row_field(row, uint32_type_node, 0));
  tree own_number = build_int_cstu(uint32_type_node, function_number(fun->decl));
  end_with_test(head, EQ_EXPR, function, own_number, rare);
  branch(rare, function, build_int_cstu(uint32_type_node, ASCRIBE_ROW_STANDBY), standby, slow);
  tree stood = stand_by(standby, row);
  make_way_back(standby, join);
  appender at_slow(slow);
  tree symbol = at_slow.load(ptr_type_node, rows_symbol(number));
  tree entered = call_row_enter(at_slow, symbol, frame_address(at_slow));
  make_way_back(slow, join);

  tree own = make_temp_ssa_name(ptr_type_node, nullptr, "ascribe_own");
  gphi *phi = create_phi_node(own, join);
  add_phi_arg(phi, row, find_edge(head, join), UNKNOWN_LOCATION);
  add_phi_arg(phi, stood, find_edge(standby, join), UNKNOWN_LOCATION);
  add_phi_arg(phi, entered, find_edge(slow, join), UNKNOWN_LOCATION);
  free_dominance_info(CDI_DOMINATORS);
  free_dominance_info(CDI_POST_DOMINATORS);
  return own;
}

} // namespace ascribe
