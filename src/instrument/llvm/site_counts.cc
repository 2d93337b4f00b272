// Functions whose entries are known from their call sites: only this unit can call them, by their
// name, and has counters at all of these calls. Then they need no counter at their entry.
#include "instrument/llvm/counting_pass.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>

namespace ascribe {
namespace {

bool is_called_by_chosen(const llvm::Function &callee,
                         const std::set<const llvm::Function *> &chosen) {
  for (const llvm::User *user : callee.users()) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call || call->getCalledOperand() != &callee || !chosen.count(call->getFunction()))
      return false;
    for (const llvm::Use &argument : call->args())
      if (argument.get() == &callee) return false;
  }
  return true;
}

// Calls of functions without effects may be dropped after they were counted.
bool has_all_sites_here(const llvm::Function &function,
                        const std::set<const llvm::Function *> &chosen) {
  return function.hasLocalLinkage() && !function.onlyReadsMemory() && chosen.count(&function) &&
         is_called_by_chosen(function, chosen);
}

} // namespace

// Where such functions call each other in a circle, their call sites might follow from their
// entries: these have counters.
std::set<const llvm::Function *> counted_at_sites(llvm::Module &module,
                                                  const std::set<const llvm::Function *> &chosen) {
  std::set<const llvm::Function *> found;
  llvm::CallGraph calls(module);
  for (auto group = llvm::scc_begin(&calls); !group.isAtEnd(); ++group)
    for (llvm::CallGraphNode *node : *group)
      if (llvm::Function *function = node->getFunction())
        if (!group.hasCycle() && has_all_sites_here(*function, chosen)) found.insert(function);
  return found;
}

} // namespace ascribe
