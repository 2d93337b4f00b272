// The types and symbols of include/ascribe/hook.h as GCC's trees.
#include "instrument/gcc/target/assembly.h"

#include "fold-const.h"
#include "ggc.h"
#include "memmodel.h"
#include "output.h"
#include "stor-layout.h"
#include "tm.h"
#include "varasm.h"

namespace ascribe {
namespace {

contract made;

tree add_field(tree record, const char *name, tree type) {
  tree field = build_decl(UNKNOWN_LOCATION, FIELD_DECL, get_identifier(name), type);
  DECL_CONTEXT(field) = record;
  TYPE_FIELDS(record) = chainon(TYPE_FIELDS(record), field);
  return field;
}

void make_types() {
  tree u32 = uint32_type_node, u64 = long_unsigned_type_node;
  made.gate_type = make_node(RECORD_TYPE);
  made.gate_mask = add_field(made.gate_type, "mask", u64);
  made.gate_table = add_field(made.gate_type, "table", u64);
  made.gate_owner = add_field(made.gate_type, "owner", u64);
  layout_type(made.gate_type);

  made.slot_type = make_node(RECORD_TYPE);
  made.slot_from = add_field(made.slot_type, "from", u32);
  made.slot_to = add_field(made.slot_type, "to", u32);
  made.slot_callee = add_field(made.slot_type, "callee", u64);
  made.slot_site = add_field(made.slot_type, "site", u64);
  made.slot_count = add_field(made.slot_type, "count", u64);
  layout_type(made.slot_type);

  made.cell_type = make_node(RECORD_TYPE);
  made.cell_row = add_field(made.cell_type, "row", ptr_type_node);
  add_field(made.cell_type, "gate", u64);
  layout_type(made.cell_type);
}

void make_cell() {
  tree cell = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("ascribe.row"), made.cell_type);
  TREE_PUBLIC(cell) = 1;
  DECL_EXTERNAL(cell) = 1;
  TREE_ADDRESSABLE(cell) = 1;
  TREE_USED(cell) = 1;
  DECL_ARTIFICIAL(cell) = 1;
  DECL_VISIBILITY(cell) = VISIBILITY_DEFAULT;
  DECL_VISIBILITY_SPECIFIED(cell) = 1;
  set_decl_tls_model(cell, for_shared_library() ? TLS_MODEL_INITIAL_EXEC : TLS_MODEL_LOCAL_EXEC);
  varpool_node::get_create(cell);
  made.cell = cell;
}

// Fortran's front end does not declare this builtin.
void make_frame_address() {
  tree decl = builtin_decl_implicit(BUILT_IN_DWARF_CFA);
  if (!decl) {
    tree type = build_function_type_list(ptr_type_node, NULL_TREE);
    decl = build_fn_decl("__builtin_dwarf_cfa", type);
    set_decl_built_in_function(decl, BUILT_IN_NORMAL, BUILT_IN_DWARF_CFA);
    TREE_NOTHROW(decl) = 1;
  }
  made.frame_address = decl;
}

} // namespace

// The collector marks them in one sweep: the contract is nothing but trees.
static_assert(sizeof(contract) % sizeof(tree) == 0, "the contract is nothing but trees");
const ggc_root_tab contract_roots[] = {{&made, sizeof(contract) / sizeof(tree), sizeof(tree),
                                        &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
                                       LAST_GGC_ROOT_TAB};

const contract &the_contract() {
  if (!made.cell) {
    make_types();
    make_frame_address();
    make_cell();
  }
  return made;
}

bool for_shared_library() {
  return flag_shlib != 0;
}

bool counts_by_segment() {
  return !for_shared_library() && !asked.without_gs;
}

tree cell_row() {
  const contract &c = the_contract();
  tree reference = build3(COMPONENT_REF, TREE_TYPE(c.cell_row), c.cell, c.cell_row, NULL_TREE);
  TREE_THIS_VOLATILE(reference) = 1;
  return reference;
}

gimple_seq store_row(tree row) {
  gimple_seq sequence = nullptr;
  if (asked.clock) gimple_seq_add_stmt(&sequence, read_clock());
  gimple *store =
      for_shared_library() ? store_row_in_library(row) : gimple_build_assign(cell_row(), row);
  gimple_seq_add_stmt(&sequence, store);
  return sequence;
}

} // namespace ascribe
