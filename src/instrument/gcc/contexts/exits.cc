// What the cell held before, wherever control leaves; the own row, wherever it comes back.
#include "instrument/gcc/contexts/context_hooks.h"

#include "cfgloop.h"
#include "except.h"
#include "gimplify.h"
#include "tree-cfg.h"
#include "tree-eh.h"

#include "ascribe/hook.h"

namespace ascribe {
namespace {

// cell.row = own->outer
gimple_seq put_back(tree own) {
  tree outer = make_temp_ssa_name(ptr_type_node, nullptr, "ascribe_outer");
  gimple_seq sequence = nullptr;
  gimple_seq_add_stmt(
      &sequence,
      gimple_build_assign(outer, row_field(own, ptr_type_node, offsetof(ascribe_row, outer))));
  gimple_seq_add_seq(&sequence, store_row(outer));
  return sequence;
}

void store_after(gimple *statement, tree rests) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  if (!stmt_ends_bb_p(statement)) {
    gsi_insert_seq_after(&at, store_row(rests), GSI_NEW_STMT);
    return;
  }
  edge fallthrough = find_fallthru_edge(gimple_bb(statement)->succs);
  if (fallthrough) gsi_insert_seq_on_edge(fallthrough, store_row(rests));
}

void store_at_start(basic_block block, tree rests) {
  gimple_stmt_iterator at = gsi_after_labels(block);
  gsi_insert_seq_before(&at, store_row(rests), GSI_SAME_STMT);
}

// A block that exceptions pass through: put back what was before, and go on unwinding.
eh_landing_pad make_cleanup(function *fun, tree own) {
  eh_region region = gen_eh_region_cleanup(nullptr);
  eh_landing_pad pad = gen_eh_landing_pad(region);
  tree label = create_artificial_label(UNKNOWN_LOCATION);
  pad->post_landing_pad = label;
  EH_LANDING_PAD_NR(label) = pad->index;

  basic_block block = create_empty_bb(EXIT_BLOCK_PTR_FOR_FN(fun)->prev_bb);
  if (current_loops) add_bb_to_loop(block, current_loops->tree_root);
  block->count = profile_count::zero();
  gimple_stmt_iterator at = gsi_start_bb(block);
  gsi_insert_after(&at, gimple_build_label(label), GSI_CONTINUE_LINKING);
  gsi_insert_seq_after(&at, put_back(own), GSI_CONTINUE_LINKING);
  gsi_insert_after(&at, gimple_build_resx(region->index), GSI_CONTINUE_LINKING);
  return pad;
}

void send_throws_to(gimple *statement, eh_landing_pad pad) {
  gimple_stmt_iterator next = gsi_for_stmt(statement);
  gsi_next(&next);
  if (!gsi_end_p(next)) split_block(gimple_bb(statement), statement);
  add_stmt_to_eh_lp(statement, pad->index);
  make_eh_edge(statement);
  edge out;
  edge_iterator i;
  FOR_EACH_EDGE(out, i, gimple_bb(statement)->succs)
    out->probability =
        out->flags & EDGE_EH ? profile_probability::never() : profile_probability::always();
}

} // namespace

void insert_exits(function *fun, const points &where, tree own, tree rests, bool restores) {
  if (restores)
    for (gimple *statement : where.leaves) {
      gimple_stmt_iterator at = gsi_for_stmt(statement);
      gsi_insert_seq_before(&at, put_back(own), GSI_SAME_STMT);
    }
  for (gimple *statement : where.comes_back)
    store_after(statement, rests);
  for (basic_block block : where.arrivals)
    store_at_start(block, rests);
  gsi_commit_edge_inserts();
  if (!restores || where.throws_across.empty()) return;
  eh_landing_pad pad = make_cleanup(fun, own);
  for (gimple *statement : where.throws_across)
    send_throws_to(statement, pad);
}

} // namespace ascribe
