// What a call is to the counters: which are counted, and after which control may be lost.
#include "instrument/common/libc_names.h"

#include "instrument/llvm/counting_pass.h"

#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

namespace ascribe {
namespace {

bool is_defined_here(const llvm::GlobalValue &symbol) {
  return !symbol.isDeclaration() && !symbol.hasAvailableExternallyLinkage();
}

// It has no counters, so nobody could be told who called it; and the code generator knows its
// functions, and may put something else there.
bool is_of_libc(const llvm::GlobalValue &symbol) {
  return !is_defined_here(symbol) && is_libc_name(linkage_name(symbol).c_str());
}

const char OURS[] = "ascribe-own";

// By what is said or known of its effects.
bool comes_back(const llvm::CallBase &call) {
  if (call.hasFnAttr(OURS)) return true;
  if (call.hasFnAttr(llvm::Attribute::ReturnsTwice) || call.doesNotReturn()) return false;
  if (llvm::isa<llvm::IntrinsicInst>(call)) return call.doesNotThrow();
  if (auto *text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return !text->hasSideEffects();
  return call.doesNotThrow() && call.hasFnAttr(llvm::Attribute::WillReturn);
}

} // namespace

const llvm::GlobalValue *called_by_name(const llvm::CallBase &call) {
  return llvm::dyn_cast<llvm::GlobalValue>(call.getCalledOperand()->stripPointerCasts());
}

// \1 keeps LLVM from decorating a name.
std::string linkage_name(const llvm::GlobalValue &symbol) {
  llvm::StringRef name = symbol.getName();
  name.consume_front("\1");
  return name.str();
}

void mark_as_ours(llvm::CallBase &call) {
  call.addFnAttr(llvm::Attribute::get(call.getContext(), OURS));
  call.addFnAttr(llvm::Attribute::NoUnwind);
}

bool is_counted_call(const llvm::CallBase &call) {
  if (llvm::isa<llvm::IntrinsicInst>(call) || call.isInlineAsm() || call.hasFnAttr(OURS))
    return false;
  const llvm::GlobalValue *callee = called_by_name(call);
  return !callee || !is_of_libc(*callee);
}

bool may_lose_control(const llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return !comes_back(*call);
  return instruction.mayThrow();
}

} // namespace ascribe
