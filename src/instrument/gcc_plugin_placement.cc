// Where counters go, so that few are enough.
//
// Statements between which control cannot be lost are executed equally often: a run.  One counter
// counts all calls of a run, and the entry is part of the first.  A run ends where a call may not
// come back (exit, longjmp, an exception, a thread that never ran again), so that every count is
// exact whatever happens there.
//
// A function that only this unit can call, by its name, was entered as often as its call sites
// say; its entry, and what else is in the entry's run, need no counter.
#include "gcc_plugin.h"

#include "builtins.h"
#include "memmodel.h"
#include "varasm.h"

namespace ascribe {
namespace {

// DECL_UIDs of functions of the unit that, once entered, come back.  Callees are compiled first.
std::set<unsigned> returning;

bool is_harmless_builtin(tree callee, int flags) {
  return fndecl_built_in_p(callee) && (flags & ECF_LEAF) && (flags & ECF_NOTHROW) &&
         !(flags & (ECF_NORETURN | ECF_RETURNS_TWICE));
}

bool comes_back(gcall *call) {
  if (gimple_call_internal_p(call)) return true;
  tree callee = gimple_call_fndecl(call);
  if (!callee) return false;
  return is_harmless_builtin(callee, gimple_call_flags(call)) || returning.count(DECL_UID(callee));
}

// Control may be lost here.
bool ends_run(gimple *statement) {
  if (gasm *text = dyn_cast<gasm *>(statement)) return gimple_asm_volatile_p(text);
  gcall *call = dyn_cast<gcall *>(statement);
  return call && !comes_back(call);
}

bool is_counted_everywhere(cgraph_node *node) {
  function *fun = DECL_STRUCT_FUNCTION(node->decl);
  return node->thunk || !fun || chosen(fun);
}

// A function of the unit without counters may call any other.
bool find_all_counted() {
  cgraph_node *node;
  FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
  if (!is_counted_everywhere(node)) return false;
  return true;
}

// Found before the first function is compiled: bodies are dropped when they are.
bool all_are_counted() {
  static const bool all = find_all_counted();
  return all;
}

// Its call sites, all in this unit, count its entries.  Calls of pure functions may be dropped
// after they were counted.
bool is_counted_by_sites(function *fun) {
  tree decl = fun->decl;
  cgraph_node *node = cgraph_node::get(decl);
  return all_are_counted() && !asked.all_counters && node && node->local &&
         !node->used_from_other_partition && !node->address_taken && !node->has_aliases_p() &&
         !TREE_PUBLIC(decl) && !DECL_PURE_P(decl) && !TREE_READONLY(decl) &&
         !fndecl_built_in_p(decl);
}

bool binds_here(tree decl) {
  return !TREE_PUBLIC(decl) || decl_binds_to_current_def_p(decl);
}

class placement {
public:
  explicit placement(function *fun) : fun(fun) {}

  std::vector<planned_point> plan() {
    basic_block first = single_succ(ENTRY_BLOCK_PTR_FOR_FN(fun)), block;
    entry_run = new_run();
    points.push_back({planned_point::ENTRY, nullptr, entry_run, true});
    bool loses = false;
    FOR_EACH_BB_FN(block, fun) {
      bool begins = block == first && single_pred_p(block) && !asked.all_counters;
      current = begins ? entry_run : new_run();
      for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
        loses |= visit(gsi_stmt(at));
    }
    if (!loses && binds_here(fun->decl)) returning.insert(DECL_UID(fun->decl));
    if (is_counted_by_sites(fun)) leave_entry_run();
    return points;
  }

private:
  function *fun;
  std::vector<planned_point> points;
  std::vector<bool> begun; // by run
  size_t entry_run = 0, current = 0;

  size_t new_run() {
    begun.push_back(false);
    return begun.size() - 1;
  }

  bool visit(gimple *statement) {
    if (is_counted_call(statement)) {
      gcall *call = as_a<gcall *>(statement);
      bool first = gimple_call_fndecl(call) && current != entry_run && !begun[current];
      points.push_back({planned_point::CALL, call, current, first});
      begun[current] = begun[current] || first;
    }
    bool loses = ends_run(statement);
    if (loses || asked.all_counters) current = new_run();
    return loses;
  }

  void leave_entry_run() {
    for (planned_point &point : points)
      if (point.run == entry_run) {
        point.first = false;
        point.run = planned_point::NONE;
      }
  }
};

} // namespace

// A statement that becomes a call.  Builtins may become anything.
bool is_counted_call(gimple *statement) {
  gcall *call = dyn_cast<gcall *>(statement);
  if (!call || gimple_call_internal_p(call)) return false;
  tree callee = gimple_call_fndecl(call);
  return !callee || !fndecl_built_in_p(callee);
}

std::vector<planned_point> plan_counters(function *fun) {
  return placement(fun).plan();
}

} // namespace ascribe
