// New blocks beside the way that control usually takes.
#include "instrument/gcc/target/assembly.h"

#include "cfgloop.h"

namespace ascribe {

// Rare enough to cost the hot path no register, but not "never": then GCC would move it to a
// section of its own, and every function would become two, each with unwind information.
basic_block make_rare_block(basic_block after, basic_block join) {
  basic_block rare = create_empty_bb(after);
  if (current_loops) add_bb_to_loop(rare, join->loop_father);
  rare->count = join->count.apply_scale(1, 100000);
  return rare;
}

tree u64(uint64_t value) {
  return build_int_cstu(long_unsigned_type_node, value);
}

edge edge_before(gimple *statement) {
  gimple_stmt_iterator before = gsi_for_stmt(statement);
  gsi_prev(&before);
  basic_block block = gimple_bb(statement);
  return gsi_end_p(before) ? split_block_after_labels(block) : split_block(block, gsi_stmt(before));
}

tree called_pointer(gcall *call) {
  tree callee = gimple_call_fn(call);
  return TREE_CODE(callee) == OBJ_TYPE_REF ? OBJ_TYPE_REF_EXPR(callee) : callee;
}

basic_block next_block(basic_block block) {
  return split_edge(single_succ_edge(block));
}

void end_with_test(basic_block block, tree_code code, tree left, tree right,
                   basic_block otherwise) {
  appender(block).add(gimple_build_cond(code, left, right, NULL_TREE, NULL_TREE));
  edge usual = single_succ_edge(block);
  usual->flags = (usual->flags & ~EDGE_FALLTHRU) | EDGE_TRUE_VALUE;
  usual->probability = profile_probability::very_unlikely().invert();
  make_edge(block, otherwise, EDGE_FALSE_VALUE)->probability = profile_probability::very_unlikely();
}

void branch(basic_block block, tree left, tree right, basic_block equal, basic_block other) {
  appender(block).add(gimple_build_cond(EQ_EXPR, left, right, NULL_TREE, NULL_TREE));
  make_edge(block, equal, EDGE_TRUE_VALUE)->probability = profile_probability::even();
  make_edge(block, other, EDGE_FALSE_VALUE)->probability = profile_probability::even();
}

edge make_way_back(basic_block rare, basic_block join) {
  edge back = make_edge(rare, join, EDGE_FALLTHRU);
  back->probability = profile_probability::always();
  return back;
}

} // namespace ascribe
