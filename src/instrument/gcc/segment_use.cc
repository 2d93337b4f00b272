// Programs that use the segment register %gs for themselves: counters of executables are found by
// it, so both would go astray.  What a unit shows of that is an error; libraries' use of it is not
// seen (ascribe-cc(1), --without-gs).
#include "instrument/gcc/plugin_common.h"

#include "diagnostic-core.h"
#include "gimple-walk.h"
#include "memmodel.h"
#include "rtl.h"

#include "tm_p.h"

#include <asm/prctl.h>
#include <sys/syscall.h>

namespace ascribe {
namespace {

bool mentions_gs(const char *text) {
  for (const char *use : {"wrgsbase", "gs:", "%gs"})
    if (strstr(text, use)) return true;
  return false;
}

bool is_argument(gcall *call, unsigned number, int value) {
  return gimple_call_num_args(call) > number && tree_fits_shwi_p(gimple_call_arg(call, number)) &&
         tree_to_shwi(gimple_call_arg(call, number)) == value;
}

bool sets_gs(gcall *call) {
  tree callee = gimple_call_fndecl(call);
  if (!callee || !DECL_NAME(callee)) return false;
  std::string name = IDENTIFIER_POINTER(DECL_NAME(callee));
  if (name == "arch_prctl") return is_argument(call, 0, ARCH_SET_GS);
  if (name == "syscall")
    return is_argument(call, 0, SYS_arch_prctl) && is_argument(call, 1, ARCH_SET_GS);
  return name == "__builtin_ia32_wrgsbase64" || name == "__builtin_ia32_wrgsbase32";
}

// Memory that is named by its place from %gs (__seg_gs).
tree find_named_space(tree *operand, int *, void *) {
  bool named =
      TREE_CODE(*operand) == MEM_REF && TYPE_ADDR_SPACE(TREE_TYPE(*operand)) == ADDR_SPACE_SEG_GS;
  return named ? *operand : NULL_TREE;
}

bool uses_gs(gimple *statement) {
  if (gasm *text = dyn_cast<gasm *>(statement)) return mentions_gs(gimple_asm_string(text));
  if (gcall *call = dyn_cast<gcall *>(statement)) return sets_gs(call);
  walk_stmt_info unused = {};
  return walk_gimple_op(statement, find_named_space, &unused) != NULL_TREE;
}

} // namespace

void refuse_use_of_gs(function *fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
         gsi_next_nondebug(&at)) {
      if (!uses_gs(gsi_stmt(at))) continue;
      error_at(
          gimple_location(gsi_stmt(at)),
          "ascribe: this code uses %%gs, which the counters need: build the whole program with "
          "%<ascribe cc --without-gs%>");
      return;
    }
}

} // namespace ascribe
