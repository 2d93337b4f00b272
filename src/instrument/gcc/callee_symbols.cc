// The identity of a function: a local symbol at its address.
//
// `&function` would do inside an executable, but in a shared library it goes through the GOT, and
// two libraries that export one name would share an address.  So each function gets a label of
// its own, which the assembler equates with the function at the end of the unit.
#include "instrument/gcc/plugin_common.h"

#include "memmodel.h"
#include "output.h"
#include "tm.h"

#include "fold-const.h"
#include "tree-ssa-operands.h"
#include "varasm.h"

namespace ascribe {
namespace {

// Assembler names of the entered; the label of entry i is .Lascribe_f<i>.
std::vector<std::string> entered;

std::string label(size_t index) {
  return ".Lascribe_f" + std::to_string(index);
}

} // namespace

size_t callee_label(function *fun) {
  std::string name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(fun->decl));
  if (entered.empty() || entered.back() != name) entered.push_back(name);
  return entered.size() - 1;
}

tree local_symbol(const char *name, tree type) {
  std::string text = std::string("*") + name; // keeps GCC from decorating it
  tree symbol = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);
  SET_DECL_ASSEMBLER_NAME(symbol, get_identifier(text.c_str()));
  DECL_EXTERNAL(symbol) = 1; // and not public: binds locally
  TREE_ADDRESSABLE(symbol) = 1;
  TREE_USED(symbol) = 1;
  DECL_ARTIFICIAL(symbol) = 1;
  DECL_IGNORED_P(symbol) = 1;
  return symbol;
}

tree callee_address(function *fun) {
  return build_fold_addr_expr(local_symbol(label(callee_label(fun)).c_str(), char_type_node));
}

void emit_callee_symbols() {
  for (size_t i = 0; i < entered.size(); i++) {
    fprintf(asm_out_file, "\t.set\t%s,", label(i).c_str());
    assemble_name(asm_out_file, entered[i].c_str());
    fputc('\n', asm_out_file);
  }
}

bool any_callee() {
  return !entered.empty();
}

} // namespace ascribe
