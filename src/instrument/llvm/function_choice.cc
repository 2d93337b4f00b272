// Which functions get counters: those that can have them, and that the user asked for.
#include "instrument/llvm/counting_pass.h"

#include "instrument/common/linkage_names.h"

#include <fnmatch.h>

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CallingConv.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace ascribe {
namespace {

using functions = std::set<const llvm::Function *>;

// Adds the function and what it calls; whether it calls what is not of this module.
bool add_with_callees(const llvm::Function &function, functions &found) {
  if (!found.insert(&function).second) return false;
  bool calls_out = function.isDeclaration() && !function.isIntrinsic();
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || call->isInlineAsm()) continue;
    auto *callee = llvm::dyn_cast_or_null<llvm::Function>(called_by_name(*call));
    calls_out |= !callee || add_with_callees(*callee, found);
  }
  return calls_out;
}

// An ifunc's resolver, and what it calls, runs while the loader relocates: thread-local variables
// have no values yet.
struct early_code {
  functions all;
  std::set<llvm::Function *> calls_out; // resolvers from which calls leave the module

  explicit early_code(llvm::Module &module) {
    for (llvm::GlobalIFunc &ifunc : module.ifuncs()) {
      auto *resolver = llvm::dyn_cast<llvm::Function>(ifunc.getResolver()->stripPointerCasts());
      functions called;
      if (resolver && add_with_callees(*resolver, called)) calls_out.insert(resolver);
      all.insert(called.begin(), called.end());
    }
  }
};

// The compiler is told to mark functions for its own hooks, as it says in no other way which have
// the attribute no_instrument_function. Code that makes and destroys global objects has no mark.
const char *const HOOKS[] = {"instrument-function-entry-inlined",
                             "instrument-function-exit-inlined"};

bool is_marked(const llvm::Function &function) {
  return function.hasFnAttribute(HOOKS[0]) || function.getSection() == ".text.startup";
}

bool can_have_counters(const llvm::Function &function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(llvm::Attribute::Naked) &&
         function.getCallingConv() != llvm::CallingConv::X86_INTR && is_marked(function);
}

bool is_tiny_leaf(const llvm::Function &function, unsigned limit) {
  unsigned statements = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) continue;
    bool calls =
        llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction);
    if (calls || ++statements > limit) return false;
  }
  return true;
}

// What the user may call a function: its linkage name, its name alone and qualified, its file.
std::vector<std::string> names_of(const llvm::Function &function) {
  std::string linkage = linkage_name(function), shown = llvm::demangle(linkage);
  std::vector<std::string> names = {linkage, shown, shown.substr(0, shown.find('(')),
                                    qualified_name(function)};
  if (const llvm::DISubprogram *source = function.getSubprogram()) {
    names.push_back(source->getName().str());
    std::string file = source->getFilename().str();
    names.push_back(file);
    names.push_back(file.substr(file.rfind('/') + 1));
  }
  return names;
}

bool matches(const std::vector<std::string> &patterns, const std::vector<std::string> &names) {
  for (const std::string &pattern : patterns)
    for (const std::string &name : names)
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

bool is_asked_for(const llvm::Function &function, const options &asked) {
  if (asked.only.empty() && asked.skip.empty()) return true;
  std::vector<std::string> names = names_of(function);
  return (asked.only.empty() || matches(asked.only, names)) && !matches(asked.skip, names);
}

} // namespace

functions chosen_functions(llvm::Module &module, const options &asked) {
  functions early = early_code(module).all, chosen;
  for (const llvm::Function &function : module)
    if (can_have_counters(function) && !early.count(&function) && is_asked_for(function, asked) &&
        !(asked.leaf_statements && is_tiny_leaf(function, asked.leaf_statements)))
      chosen.insert(&function);
  return chosen;
}

std::set<llvm::Function *> early_callers(llvm::Module &module) {
  return early_code(module).calls_out;
}

std::string qualified_name(const llvm::Function &function) {
  std::string linkage = linkage_name(function);
  llvm::ItaniumPartialDemangler parts;
  if (parts.partialDemangle(linkage.c_str()) || !parts.isFunction()) return linkage;
  size_t bytes = 0;
  char *text = parts.getFunctionName(nullptr, &bytes);
  std::string name = text ? text : linkage;
  free(text);
  return name;
}

// Functions that the compiler made itself are not meant, even if the pattern matches them.
bool is_centre(const llvm::Function &function, const options &asked) {
  if (asked.centres.empty() || !can_have_counters(function)) return false;
  const llvm::DISubprogram *source = function.getSubprogram();
  bool is_made = function.getSection() == ".text.startup" ||
                 is_deleting_destructor(linkage_name(function)) ||
                 (source && (source->isArtificial() || source->isThunk()));
  return !is_made && matches(asked.centres, names_of(function));
}

void take_marks_off(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (const char *hook : HOOKS)
      function.removeFnAttr(hook);
}

} // namespace ascribe
