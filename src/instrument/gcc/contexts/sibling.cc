// Will a call in tail position become a jump?
//
// GCC marks candidates long before it expands them, and expands as a call what the machine or the
// stack's layout forbids.  A jump leaves the function and a call does not, so the hooks have to
// know: this repeats the conditions (calls.cc, can_implement_as_sibling_call_p) that matter here,
// and takes the mark off a candidate that would fail.
#include "instrument/gcc/contexts/context_hooks.h"

#include "memmodel.h"

#include "rtl.h"
#include "target.h"
#include "tm_p.h"

#include "calls.h"
#include "fold-const.h"

namespace ascribe {
namespace {

// Bytes of stack for one argument; none if it goes into registers.
HOST_WIDE_INT stack_bytes(CUMULATIVE_ARGS &so_far, tree type, bool named) {
  function_arg_info argument(type, named);
  apply_pass_by_reference_rules(&so_far, argument);
  bool in_register = targetm.calls.function_arg(pack_cumulative_args(&so_far), argument) != NULL;
  targetm.calls.function_arg_advance(pack_cumulative_args(&so_far), argument);
  if (in_register) return 0;
  HOST_WIDE_INT bytes = int_size_in_bytes(argument.type);
  return bytes < 0 ? 0 : (bytes + UNITS_PER_WORD - 1) / UNITS_PER_WORD * UNITS_PER_WORD;
}

HOST_WIDE_INT outgoing_bytes(gcall *call) {
  tree type = gimple_call_fntype(call);
  unsigned named = prototype_p(type) ? type_num_arguments(type) : gimple_call_num_args(call);
  CUMULATIVE_ARGS so_far;
  INIT_CUMULATIVE_ARGS(so_far, type, NULL_RTX, gimple_call_fndecl(call), named);
  HOST_WIDE_INT bytes = 0;
  for (unsigned i = 0; i < gimple_call_num_args(call); i++)
    bytes += stack_bytes(so_far, TREE_TYPE(gimple_call_arg(call, i)), i < named);
  return bytes;
}

HOST_WIDE_INT incoming_bytes(function *fun) {
  CUMULATIVE_ARGS so_far;
  INIT_CUMULATIVE_ARGS(so_far, TREE_TYPE(fun->decl), NULL_RTX, fun->decl, -1);
  HOST_WIDE_INT bytes = 0;
  for (tree parameter = DECL_ARGUMENTS(fun->decl); parameter; parameter = DECL_CHAIN(parameter))
    bytes += stack_bytes(so_far, DECL_ARG_TYPE(parameter), true);
  return bytes;
}

bool machine_allows(gcall *call) {
  tree type = gimple_call_return_type(call);
  tree expression = build_call_nary(type, gimple_call_fn(call), 0);
  return targetm.function_ok_for_sibcall(gimple_call_fndecl(call), expression);
}

} // namespace

bool becomes_jump(function *fun, gcall *call) {
  if (!gimple_call_tail_p(call) || gimple_call_internal_p(call)) return false;
  if (gimple_call_must_tail_p(call)) return true;
  bool jumps = !aggregate_value_p(gimple_call_return_type(call), gimple_call_fntype(call)) &&
               outgoing_bytes(call) <= incoming_bytes(fun) && machine_allows(call);
  if (!jumps) gimple_call_set_tail(call, false);
  return jumps;
}

} // namespace ascribe
