// Is a function the C library's?
//
// It has no counters, so nobody could be told who called it.  What the program declares itself, or
// defines in this unit, is the program's.
#include "instrument/common/libc_names.h"

#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"

namespace ascribe {
namespace {

bool is_defined_here(tree decl) {
  cgraph_node *node = cgraph_node::get(decl);
  return node && node->ultimate_alias_target()->definition;
}

} // namespace

bool is_of_libc(tree callee) {
  if (!TREE_PUBLIC(callee) || !DECL_IN_SYSTEM_HEADER(callee) || is_defined_here(callee))
    return false;
  return is_libc_name(linkage_name(callee));
}

} // namespace ascribe
