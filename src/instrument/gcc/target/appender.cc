// Appending statements to a block.
#include "instrument/gcc/target/assembly.h"

namespace ascribe {

void appender::add(gimple *statement) {
  gimple_stmt_iterator end = gsi_last_bb(block);
  gsi_insert_after(&end, statement, GSI_NEW_STMT);
}

void appender::add_sequence(gimple_seq sequence) {
  gimple_stmt_iterator end = gsi_last_bb(block);
  gsi_insert_seq_after(&end, sequence, GSI_NEW_STMT);
}

tree appender::load(tree type, tree reference) {
  tree name = make_temp_ssa_name(type, nullptr, "ascribe");
  add(gimple_build_assign(name, reference));
  return name;
}

tree appender::compute(tree_code code, tree left, tree right) {
  tree name = make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe");
  add(gimple_build_assign(name, code, left, right));
  return name;
}

tree appender::widen(tree value) {
  return compute(NOP_EXPR, value, NULL_TREE);
}

} // namespace ascribe
