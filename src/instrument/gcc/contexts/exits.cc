// Restoring contexts: the caller's wherever control leaves, the own one wherever it comes back.
#include "instrument/gcc/contexts/context_hooks.h"

#include "cfgloop.h"
#include "except.h"
#include "gimplify.h"
#include "tree-cfg.h"
#include "tree-eh.h"

#include "ascribe/hook.h"

namespace ascribe {
namespace {

void store_before(gimple *statement, tree context) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_seq_before(&at, store_context(context), GSI_SAME_STMT);
}

// The same for the entry of the function's own piece.
void store_to_go_on(gimple *statement, tree context) {
  tree marked = make_temp_ssa_name(uint32_type_node, nullptr, "ascribe_continues");
  gimple *mark = gimple_build_assign(marked, BIT_IOR_EXPR, context,
                                     build_int_cstu(uint32_type_node, ASCRIBE_CONTINUES));
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_before(&at, mark, GSI_SAME_STMT);
  store_before(statement, marked);
}

void store_after(gimple *statement, tree context) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  if (!stmt_ends_bb_p(statement)) {
    gsi_insert_seq_after(&at, store_context(context), GSI_NEW_STMT);
    return;
  }
  edge fallthrough = find_fallthru_edge(gimple_bb(statement)->succs);
  if (fallthrough) gsi_insert_seq_on_edge(fallthrough, store_context(context));
}

void store_at_start(basic_block block, tree context) {
  gimple_stmt_iterator at = gsi_after_labels(block);
  gsi_insert_seq_before(&at, store_context(context), GSI_SAME_STMT);
}

// A block that exceptions pass through: restore the context and go on unwinding.
eh_landing_pad make_cleanup(function *fun, tree context) {
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
  gsi_insert_seq_after(&at, store_context(context), GSI_CONTINUE_LINKING);
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

void insert_exits(function *fun, const points &where, const contexts &known) {
  for (gimple *statement : where.leaves)
    if (goes_on_in_piece(fun, statement))
      store_to_go_on(statement, known.caller);
    else
      store_before(statement, known.caller);
  for (gimple *statement : where.goes_on)
    store_to_go_on(statement, known.own);
  for (gimple *statement : where.comes_back)
    store_after(statement, known.own);
  for (basic_block block : where.arrivals)
    store_at_start(block, known.own);
  gsi_commit_edge_inserts();
  if (where.throws_across.empty()) return;
  eh_landing_pad pad = make_cleanup(fun, known.caller);
  for (gimple *statement : where.throws_across)
    send_throws_to(statement, pad);
}

} // namespace ascribe
