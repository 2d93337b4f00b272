// Pieces of functions: what GCC moves out of line, so that the rest can be inlined (f.part.0).
//
// f goes on in its piece, by a call or a jump; where the rest of f was inlined into another
// function, that one calls the piece, and with it f. The hooks of a piece cannot tell the two by
// what they see: behind a jump its caller and its return address are f's. So f says that it goes
// on (include/ascribe/hook.h).
#include "instrument/gcc/plugin_common.h"

namespace ascribe {
namespace {

const char *assembler_name(tree decl) {
  return IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
}

// A piece may be cut again, and cloned: f.part.0.constprop.0.
unsigned times_cut(tree decl) {
  static const char cut[] = ".part.";
  unsigned times = 0;
  for (const char *at = assembler_name(decl); (at = strstr(at, cut)); at += sizeof cut - 1)
    times++;
  return times;
}

// Clones have one origin, but so have all variants of a destructor, which call each other.
bool same_function(tree one, tree other) {
  const char *name = assembler_name(one), *other_name = assembler_name(other);
  size_t length = strcspn(name, ".");
  return DECL_ORIGIN(one) == DECL_ORIGIN(other) && strcspn(other_name, ".") == length &&
         strncmp(name, other_name, length) == 0;
}

} // namespace

bool is_piece(tree decl) {
  return times_cut(decl) != 0;
}

bool goes_on_in_piece(function *fun, gimple *statement) {
  gcall *call = dyn_cast<gcall *>(statement);
  tree callee = call ? gimple_call_fndecl(call) : NULL_TREE;
  return callee && times_cut(callee) > times_cut(fun->decl) && same_function(fun->decl, callee) &&
         chosen_by_name(callee);
}

} // namespace ascribe
