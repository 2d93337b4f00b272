// Where control leaves a function, and where it may come back in another context.
#include "instrument/gcc/contexts/context_hooks.h"

#include "builtins.h"
#include "except.h"
#include "tree-eh.h"

namespace ascribe {
namespace {

bool is_builtin(gimple *statement, built_in_function which) {
  return gimple_call_builtin_p(statement, which);
}

bool switches_stacks(gcall *call) {
  tree callee = gimple_call_fndecl(call);
  return callee && DECL_NAME(callee) &&
         asked.switchers.count(IDENTIFIER_POINTER(DECL_NAME(callee)));
}

// setjmp and its kin, the receiver of a builtin longjmp, and named stack switchers.
bool may_come_back(gcall *call) {
  if (is_builtin(call, BUILT_IN_SETJMP_SETUP)) return false; // its receiver is the place
  if (is_builtin(call, BUILT_IN_SETJMP_RECEIVER)) return true;
  return (gimple_call_flags(call) & ECF_RETURNS_TWICE) || switches_stacks(call);
}

bool resumes_unwinding(gimple *statement) {
  return is_builtin(statement, BUILT_IN_UNWIND_RESUME) ||
         is_builtin(statement, BUILT_IN_CXA_END_CLEANUP);
}

bool leaves(function *fun, gimple *statement) {
  switch (gimple_code(statement)) {
  case GIMPLE_RETURN:
    return true;
  case GIMPLE_RESX:
    return !stmt_can_throw_internal(fun, statement);
  case GIMPLE_CALL:
    return resumes_unwinding(statement) || is_builtin(statement, BUILT_IN_RETURN);
  default:
    return false;
  }
}

// A throw that no region of this function sees: its caller's context must still be restored for
// a handler in code without hooks.
bool throws_across(function *fun, gimple *statement) {
  return flag_exceptions && gimple_code(statement) != GIMPLE_RESX &&
         lookup_stmt_eh_lp_fn(fun, statement) == 0 && stmt_could_throw_p(fun, statement);
}

void find_in_block(function *fun, basic_block block, const std::set<gimple *> &sites,
                   points &found) {
  bool jumped = false;
  for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
    gimple *statement = gsi_stmt(at);
    if (glabel *label = dyn_cast<glabel *>(statement)) {
      if (DECL_NONLOCAL(gimple_label_label(label))) found.arrivals.push_back(block);
      continue;
    }
    if (leaves(fun, statement)) {
      // What follows a tail call in its block is the return that the jump stands for.
      if (!jumped) found.leaves.push_back(statement);
      continue;
    }
    gcall *call = dyn_cast<gcall *>(statement);
    if (call && !gimple_call_internal_p(call) && gimple_call_tail_p(call)) {
      // The cell has nothing to do with a callee that is no site.
      if (!jumped && !sites.count(call)) found.leaves.push_back(call);
      jumped = true;
      continue; // nothing passes through a function that it jumped out of
    }
    if (call && !gimple_call_internal_p(call) && may_come_back(call))
      found.comes_back.push_back(call);
    if (throws_across(fun, statement)) found.throws_across.push_back(statement);
  }
}

void find_landing_pads(function *fun, points &found) {
  if (!fun->eh) return;
  for (unsigned i = 1; i < vec_safe_length(fun->eh->lp_array); i++) {
    eh_landing_pad pad = (*fun->eh->lp_array)[i];
    if (!pad || !pad->post_landing_pad) continue;
    basic_block block = label_to_block(fun, pad->post_landing_pad);
    if (block) found.arrivals.push_back(block);
  }
}

} // namespace

points find_points(function *fun, const std::vector<call_site> &sites) {
  points found;
  std::set<gimple *> calls;
  for (const call_site &site : sites)
    calls.insert(site.call);
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    find_in_block(fun, block, calls, found);
  find_landing_pads(fun, found);
  block_set unique(found.arrivals.begin(), found.arrivals.end());
  found.arrivals.assign(unique.begin(), unique.end());
  return found;
}

} // namespace ascribe
