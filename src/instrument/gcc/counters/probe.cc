// A transition's way through the table, on an edge of the flow graph: libraries count there what a
// pointer calls besides its first callee (include/ascribe/hook.h).
//
//     probe_from -> probe_callee -> probe_site -> hit -> join
//          \____________\_______________\___ miss ______/    the gate stands by: no recording
//                                              \__ slow _/
//
// The edges to `miss` are rarely taken, so that the register allocator charges the hot path
// nothing for it.  The slow call keeps all registers for the same reason.
#include "instrument/gcc/counters/probe.h"

#include "cfganal.h"
#include "cfgloop.h"
#include "dominance.h"
#include "fold-const.h"

#include "ascribe/hook.h"

namespace ascribe {
namespace {

// The field of the structure that `address`, an integer, points to.
tree field_at(tree record, tree address, tree field) {
  tree whole = build2(MEM_REF, record, address, build_int_cst(build_pointer_type(record), 0));
  TREE_THIS_NOTRAP(whole) = 1;
  return build3(COMPONENT_REF, TREE_TYPE(field), whole, field, NULL_TREE);
}

// ASCRIBE_HASH.
tree hash(appender &at, const key &k) {
  tree twice = at.compute(MULT_EXPR, k.callee, u64(2));
  tree sum = at.compute(PLUS_EXPR, k.site, twice);
  tree place = at.compute(MULT_EXPR, sum, u64(ASCRIBE_HASH_SITE));
  tree context = at.compute(MULT_EXPR, k.context, u64(ASCRIBE_HASH_CONTEXT));
  return at.compute(PLUS_EXPR, place, context);
}

tree as_pointer(appender &at, tree address) {
  return at.load(ptr_type_node, build1(NOP_EXPR, ptr_type_node, address));
}

tree home_slot(appender &at, const key &k) {
  const contract &c = the_contract();
  tree hashed = hash(at, k), gate = as_pointer(at, k.gate);
  tree offset = and_memory(at, hashed, field_at(c.gate_type, gate, c.gate_mask));
  offset = add_memory(at, offset, field_at(c.gate_type, gate, c.gate_table));
  return as_pointer(at, at.compute(PLUS_EXPR, offset, k.gate));
}

// Ends `block` with `if (slot->field == value) goto hit; else goto otherwise`.
void compare(basic_block block, basic_block otherwise, tree slot, tree field, tree value) {
  appender at(block);
  tree found = at.load(TREE_TYPE(field), field_at(the_contract().slot_type, slot, field));
  end_with_test(block, EQ_EXPR, found, value, otherwise);
}

// Ends `miss`: a gate that stands by leads to `join` at once, without a call.
void test_standby(basic_block miss, basic_block slow, basic_block join, tree gate) {
  const contract &c = the_contract();
  appender at(miss);
  tree reference = field_at(c.gate_type, as_pointer(at, gate), c.gate_owner);
  tree owner = at.load(long_unsigned_type_node, reference);
  branch(miss, owner, u64(ASCRIBE_STANDBY), join, slow);
}

} // namespace

probe::probe(edge where) : from(split_edge(where)) {
  callee = next_block(from);
  site = next_block(callee);
  hit = next_block(site);
  join = next_block(hit);
  miss = make_rare_block(join, join);
  slow = make_rare_block(miss, join);
}

tree probe::look_up(const key &k, tree context, tree standby) {
  const contract &c = the_contract();
  appender at(from);
  tree slot = home_slot(at, k);
  compare(from, miss, slot, c.slot_from, context);
  compare(callee, miss, slot, c.slot_callee, k.callee);
  compare(site, miss, slot, c.slot_site, k.site);

  appender at_hit(hit), at_slow(slow);
  increment(at_hit, field_at(c.slot_type, slot, c.slot_count));
  tree known = at_hit.load(uint32_type_node, field_at(c.slot_type, slot, c.slot_to));
  tree looked_up = call_slow(at_slow, k.callee, k.site);
  test_standby(miss, slow, join, k.gate);
  edge back = make_way_back(slow, join);

  tree own = make_temp_ssa_name(uint32_type_node, nullptr, "ascribe_own");
  gphi *phi = create_phi_node(own, join);
  add_phi_arg(phi, known, find_edge(hit, join), UNKNOWN_LOCATION);
  add_phi_arg(phi, looked_up, back, UNKNOWN_LOCATION);
  add_phi_arg(phi, standby, find_edge(miss, join), UNKNOWN_LOCATION);
  free_dominance_info(CDI_DOMINATORS);
  free_dominance_info(CDI_POST_DOMINATORS);
  return own;
}

} // namespace ascribe
