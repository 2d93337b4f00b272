// The calls of a function: which of them are counted, and the hooks around them.
#include "instrument/gcc/contexts/context_hooks.h"
#include "instrument/gcc/counters/counter_graph.h"

#include "cfganal.h"
#include "dominance.h"
#include "except.h"
#include "tree-eh.h"

#include "ascribe/hook.h"

namespace ascribe {
namespace {

// Neither calls back nor has hooks: what libc computes. exit() is marked as a leaf, but calls the
// functions of atexit().
bool is_harmless(gcall *call) {
  int flags = gimple_call_flags(call);
  if (flags & ECF_NORETURN && !gimple_call_builtin_p(call, BUILT_IN_NORMAL)) return false;
  if (gimple_call_builtin_p(call, BUILT_IN_EXIT)) return false;
  return flags & (ECF_LEAF | ECF_CONST | ECF_PURE);
}

bool is_foreign(tree callee) {
  if (fndecl_built_in_p(callee)) return true;
  if (has_text_here(callee)) return !chosen_by_name(callee);
  return is_of_libc(callee);
}

bool ends_unwinding(gcall *call) {
  return gimple_call_builtin_p(call, BUILT_IN_UNWIND_RESUME) ||
         gimple_call_builtin_p(call, BUILT_IN_CXA_END_CLEANUP);
}

bool is_call_of_interest(gcall *call) {
  if (ends_unwinding(call)) return false;
  if (gimple_call_flags(call) & ECF_RETURNS_TWICE) return false;
  tree callee = gimple_call_fndecl(call);
  return !(callee && is_foreign(callee) && is_harmless(call));
}

unsigned kind_of(function *fun, gcall *call) {
  tree callee = gimple_call_fndecl(call);
  if (!callee) return ASCRIBE_SITE_POINTER;
  if (goes_on_in_piece(fun, call)) return ASCRIBE_SITE_CONTINUES;
  if (is_counted_leaf(callee)) return ASCRIBE_SITE_LEAF;
  return is_foreign(callee) ? 0 : ASCRIBE_SITE_DIRECT;
}

// A jump to a function that does not put back what the cell held before its caller has to become a
// call.
bool may_jump(gcall *call, unsigned kind) {
  tree callee = gimple_call_fndecl(call);
  return gimple_call_must_tail_p(call) || kind == ASCRIBE_SITE_POINTER ||
         (kind >= ASCRIBE_SITE_DIRECT && may_end_callers(callee));
}

// Gives out slots. Once there is no room for more, sites of one callee share one. Where none has a
// slot, a callee that tests its entry counts itself; any other has a site without a slot.
class slots {
public:
  void place(call_site &site, const std::vector<call_site> &before) {
    if (site.kind == ASCRIBE_SITE_LEAF) {
      if (place_below(site) || share(site, before)) return;
      site.kind = ASCRIBE_SITE_DIRECT; // a leaf has a row as well as any other
    }
    if (place_above(site) || share(site, before)) return;
    if (!site.callee || !is_known_callee(site.callee)) site.kind = 0;
  }

private:
  int below = 0, above = sizeof(ascribe_row);

  bool place_below(call_site &site) {
    if (below >= (int)ASCRIBE_ROW_BELOW - 16) return false;
    below += 8;
    site.place = -below;
    return true;
  }

  bool place_above(call_site &site) {
    bool is_pointer = (site.kind & ASCRIBE_SITE_KINDS) == ASCRIBE_SITE_POINTER;
    int bytes = is_pointer ? sizeof(ascribe_slot_pointer) : sizeof(ascribe_slot_direct);
    if (above + bytes > (int)ASCRIBE_ROW_ABOVE) return false;
    site.place = above;
    above += bytes;
    return true;
  }

  static bool share(call_site &site, const std::vector<call_site> &before) {
    for (const call_site &other : before)
      if (site.callee && other.callee == site.callee && other.kind == site.kind && other.place) {
        site.place = other.place;
        site.number = other.number;
        site.shared = true;
        return true;
      }
    return false;
  }
};

void insert_before(gimple *statement, gimple_seq sequence) {
  gimple_stmt_iterator at = gsi_for_stmt(statement);
  gsi_insert_seq_before(&at, sequence, GSI_SAME_STMT);
}

// By which the runtime tells that the function that is entered next is the one called here. Names
// that asm statements would have to quote are left out.
const char *symbol_of(const call_site &site) {
  if (!site.callee || is_known_callee(site.callee)) return nullptr;
  const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(site.callee));
  if (*name == '*') name++;
  if (*name == '$') return nullptr;
  for (const char *at = name; *at; at++)
    if (!ISALNUM(*at) && !strchr("_.$", *at)) return nullptr;
  return name;
}

void count_at(basic_block block, const call_site &site, tree own, size_t number, int place) {
  gimple *count = count_site(row_field(own, long_unsigned_type_node, place), number, site.number,
                             symbol_of(site));
  gimple_set_location(count, gimple_location(site.call));
  appender(block).add(count);
}

tree add_phi(basic_block join, basic_block hit, tree next, basic_block rare, tree found) {
  tree row = make_temp_ssa_name(ptr_type_node, nullptr, "ascribe_next");
  gphi *phi = create_phi_node(row, join);
  add_phi_arg(phi, next, find_edge(hit, join), UNKNOWN_LOCATION);
  add_phi_arg(phi, found, find_edge(rare, join), UNKNOWN_LOCATION);
  return row;
}

// `callee`: the pointer that is called, or null.
tree call_runtime(appender &at, const call_site &site, tree own, tree callee) {
  if (site.kind & ASCRIBE_SITE_TAIL)
    return call_row_jump(at, own, site.number, callee, frame_address(at));
  return call_row_call(at, own, site.number, callee);
}

// The row in which the callee runs, counted; before the call.
//
//     test -> hit -> call
//       \_ rare __/
tree find_next(const call_site &site, tree own, size_t number) {
  basic_block test = split_edge(edge_before(site.call));
  basic_block hit = next_block(test), join = single_succ(hit);
  basic_block rare = make_rare_block(hit, join);
  appender at(test), at_hit(hit), at_rare(rare);
  tree callee = NULL_TREE, next;
  if ((site.kind & ASCRIBE_SITE_KINDS) == ASCRIBE_SITE_POINTER) {
    callee = at.widen(called_pointer(site.call));
    tree type = long_unsigned_type_node;
    tree known = at.load(type, row_field(own, type, site.place + 16));
    end_with_test(test, EQ_EXPR, known, callee, rare);
    next = at_hit.load(ptr_type_node, row_field(own, ptr_type_node, site.place));
    count_at(hit, site, own, number, site.place + 8);
  } else {
    next = at.load(ptr_type_node, row_field(own, ptr_type_node, site.place));
    end_with_test(test, NE_EXPR, next, null_pointer_node, rare);
    count_at(hit, site, own, number, site.place + 8);
  }
  tree found = call_runtime(at_rare, site, own, callee);
  make_way_back(rare, join);
  return add_phi(join, hit, next, rare, found);
}

// The same without a slot: the runtime finds the row each time.
tree find_each_time(const call_site &site, tree own, size_t number) {
  appender at(split_edge(edge_before(site.call)));
  gimple *place = mark_site(number, site.number);
  gimple_set_location(place, gimple_location(site.call));
  at.add(place);
  return call_runtime(at, site, own, NULL_TREE);
}

void store_after(gcall *call, tree own) {
  if (gimple_call_noreturn_p(call)) return;
  if (!stmt_ends_bb_p(call)) {
    gimple_stmt_iterator at = gsi_for_stmt(call);
    gsi_insert_seq_after(&at, store_row(own), GSI_NEW_STMT);
  } else if (edge fallthrough = find_fallthru_edge(gimple_bb(call)->succs)) {
    gsi_insert_seq_on_edge(fallthrough, store_row(own));
  }
}

tree tagged(gcall *call, tree own) {
  tree type = long_unsigned_type_node, names[3];
  const char *name = "ascribe_tagged";
  for (tree &each : names)
    each = make_temp_ssa_name(&each == names + 2 ? ptr_type_node : type, nullptr, name);
  gimple_stmt_iterator at = gsi_for_stmt(call);
  gsi_insert_before(&at, gimple_build_assign(names[0], NOP_EXPR, own), GSI_SAME_STMT);
  gsi_insert_before(&at,
                    gimple_build_assign(names[1], BIT_IOR_EXPR, names[0], u64(ASCRIBE_ROW_TAG)),
                    GSI_SAME_STMT);
  gsi_insert_before(&at, gimple_build_assign(names[2], NOP_EXPR, names[1]), GSI_SAME_STMT);
  return names[2];
}

void insert_site(const call_site &site, tree own, tree rests, size_t number) {
  if (site.kind == ASCRIBE_SITE_LEAF) {
    gimple *count = count_site(row_field(own, long_unsigned_type_node, site.place), number,
                               site.number, nullptr);
    gimple_set_location(count, gimple_location(site.call));
    gimple_stmt_iterator at = gsi_for_stmt(site.call);
    gsi_insert_before(&at, count, GSI_SAME_STMT);
    return;
  }
  tree row = !site.kind    ? tagged(site.call, own)
             : !site.place ? find_each_time(site, own, number)
                           : find_next(site, own, number);
  insert_before(site.call, store_row(row));
  if (!(site.kind & ASCRIBE_SITE_TAIL) && !site.written_later) store_after(site.call, rests);
}

} // namespace

std::vector<call_site> find_sites(function *fun) {
  std::vector<call_site> found;
  slots room;
  unsigned number = 0;
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
      gcall *call = dyn_cast<gcall *>(gsi_stmt(at));
      if (!call || gimple_call_internal_p(call)) continue;
      bool jumps = becomes_jump(fun, call);
      if (!is_call_of_interest(call)) continue;
      call_site site = {call, kind_of(fun, call), 0, gimple_call_fndecl(call), false, number};
      if (jumps && !may_jump(call, site.kind)) {
        gimple_call_set_tail(call, false);
        jumps = false;
      }
      if (jumps && !site.kind) continue;
      if (jumps) site.kind |= ASCRIBE_SITE_TAIL;
      if (site.kind) room.place(site, found);
      if (jumps && !site.kind) continue;
      if (site.kind && !site.shared) number++;
      found.push_back(site);
    }
  return found;
}

void insert_sites(const std::vector<call_site> &sites, tree own, tree rests, size_t number) {
  for (const call_site &site : sites)
    insert_site(site, own, rests, number);
  gsi_commit_edge_inserts();
  free_dominance_info(CDI_DOMINATORS);
  free_dominance_info(CDI_POST_DOMINATORS);
}

} // namespace ascribe
