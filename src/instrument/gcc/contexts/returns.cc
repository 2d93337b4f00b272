// After which calls the own row need not be put back, because the cell is written anyway before
// much can happen: the next call is close, or the function's end.
#include "instrument/gcc/contexts/context_hooks.h"

#include "except.h"
#include "tree-eh.h"

#include "ascribe/hook.h"

namespace ascribe {
namespace {

enum { MOST_BRANCHES = 3, MOST_STATEMENTS = 24 };

// While the cell holds the row of a signal handler, a signal that enters it is taken for a call.
bool calls_handler(gcall *call) {
  tree callee = gimple_call_fndecl(call);
  if (!VOID_TYPE_P(gimple_call_return_type(call))) return false;
  if (callee && has_text_here(callee)) return may_be_handler(callee);
  unsigned arguments = gimple_call_num_args(call);
  return (arguments == 1 || arguments == 3) &&
         TYPE_MAIN_VARIANT(TREE_TYPE(gimple_call_arg(call, 0))) == integer_type_node;
}

// Looks along all ways from a call.
class search {
public:
  explicit search(const std::vector<call_site> &sites) {
    for (const call_site &site : sites)
      kinds[site.call] = site.kind & ASCRIBE_SITE_KINDS;
  }

  bool is_written_after(gcall *call) const {
    if (stmt_ends_bb_p(call)) return all_ways(gimple_bb(call), MOST_BRANCHES);
    gimple_stmt_iterator next = gsi_for_stmt(call);
    gsi_next(&next);
    return is_written(gimple_bb(call), next, MOST_BRANCHES);
  }

private:
  std::map<gimple *, unsigned> kinds;

  // Its hook writes the cell before it. A leaf has none, and a tick there counts for what the cell
  // says.
  bool writes(gimple *call) const {
    auto site = kinds.find(call);
    return site != kinds.end() && site->second != ASCRIBE_SITE_LEAF;
  }

  // Is it a few instructions, whatever becomes of it?
  static bool is_short(gimple *statement) {
    if (is_gimple_debug(statement) || gimple_clobber_p(statement)) return true;
    tree value = gimple_get_lhs(statement);
    if (is_gimple_assign(statement)) return is_gimple_reg_type(TREE_TYPE(value)) && fits(value);
    switch (gimple_code(statement)) {
    case GIMPLE_LABEL:
    case GIMPLE_NOP:
    case GIMPLE_PREDICT:
    case GIMPLE_COND:
    case GIMPLE_SWITCH:
    case GIMPLE_GOTO:
      return true;
    default:
      return false;
    }
  }

  // What is wider than a register may be computed by a function of libgcc.
  static bool fits(tree value) {
    machine_mode mode = TYPE_MODE(TREE_TYPE(value));
    return VECTOR_MODE_P(mode) || GET_MODE_SIZE(mode).to_constant() <= UNITS_PER_WORD;
  }

  bool all_ways(basic_block block, int branches) const {
    if (!branches || EDGE_COUNT(block->succs) == 0) return false;
    edge way;
    edge_iterator i;
    FOR_EACH_EDGE(way, i, block->succs) {
      if (way->flags & (EDGE_EH | EDGE_ABNORMAL)) continue; // written at its end (exits.cc)
      if (!is_written(way->dest, gsi_start_bb(way->dest), branches - 1)) return false;
    }
    return true;
  }

  bool is_written(basic_block block, gimple_stmt_iterator at, int branches) const {
    for (int statements = 0; !gsi_end_p(at); gsi_next(&at)) {
      gimple *statement = gsi_stmt(at);
      if (gimple_code(statement) == GIMPLE_RETURN || writes(statement)) return true;
      if (!is_short(statement) || ++statements > MOST_STATEMENTS) return false;
    }
    return all_ways(block, branches);
  }
};

} // namespace

void leave_out_returns(std::vector<call_site> &sites) {
  if (asked.clock) return; // each write of the cell ends a piece of time
  search next(sites);
  for (call_site &site : sites)
    site.written_later = site.kind != 0 && !(site.kind & ASCRIBE_SITE_TAIL) &&
                         (site.kind & ASCRIBE_SITE_KINDS) != ASCRIBE_SITE_LEAF &&
                         !calls_handler(site.call) && next.is_written_after(site.call);
}

} // namespace ascribe
