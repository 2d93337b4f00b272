// Is a function the C library's?
//
// It has no counters, so nobody could be told who called it.  The C library that the compiler runs
// with says which names it has; what the program declares itself, or defines in this unit, is the
// program's.
#include "instrument/gcc/counters/counter_graph.h"
#include "instrument/gcc/describe/description.h"

#include <dlfcn.h>

namespace ascribe {
namespace {

bool has_name(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return false;
  bool found = dlsym(handle, name) != nullptr;
  dlclose(handle);
  return found;
}

bool is_defined_here(tree decl) {
  cgraph_node *node = cgraph_node::get(decl);
  return node && node->ultimate_alias_target()->definition;
}

} // namespace

bool is_of_libc(tree callee) {
  static std::map<std::string, bool> known;
  if (!TREE_PUBLIC(callee) || !DECL_IN_SYSTEM_HEADER(callee) || is_defined_here(callee))
    return false;
  const char *name = linkage_name(callee);
  auto found = known.find(name);
  if (found == known.end())
    found = known.insert({name, has_name("libc.so.6", name) || has_name("libm.so.6", name)}).first;
  return found->second;
}

} // namespace ascribe
