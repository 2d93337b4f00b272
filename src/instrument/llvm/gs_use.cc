// Programs that use the segment register %gs for themselves: counters of executables are found by
// it, so both would go astray. What a unit shows of that is an error; libraries' use of it is not
// seen (ascribe-cc(1), --without-gs).
#include "instrument/llvm/counting_pass.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>

#include <asm/prctl.h>
#include <sys/syscall.h>

namespace ascribe {
namespace {

enum { SPACE_OF_GS = 256 }; // LLVM's number for memory that is named by its place from %gs

bool mentions_gs(const std::string &text) {
  for (const char *use : {"wrgsbase", "gs:", "%gs"})
    if (text.find(use) != std::string::npos) return true;
  return false;
}

bool is_argument(const llvm::CallBase &call, unsigned number, uint64_t value) {
  if (call.arg_size() <= number) return false;
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(number));
  return constant && constant->getZExtValue() == value;
}

bool sets_gs(const llvm::CallBase &call) {
  const llvm::GlobalValue *callee = called_by_name(call);
  if (!callee) return false;
  std::string name = linkage_name(*callee);
  if (name == "arch_prctl") return is_argument(call, 0, ARCH_SET_GS);
  if (name == "syscall")
    return is_argument(call, 0, SYS_arch_prctl) && is_argument(call, 1, ARCH_SET_GS);
  return name == "llvm.x86.wrgsbase.64" || name == "llvm.x86.wrgsbase.32";
}

bool uses_gs(const llvm::Instruction &instruction) {
  for (const llvm::Use &operand : instruction.operands())
    if (auto *pointer = llvm::dyn_cast<llvm::PointerType>(operand->getType()))
      if (pointer->getAddressSpace() == SPACE_OF_GS) return true;
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call) return false;
  if (auto *text = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
    return mentions_gs(std::string(text->getAsmString()));
  return sets_gs(*call);
}

} // namespace

bool refuse_use_of_gs(const llvm::Function &function) {
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!uses_gs(instruction)) continue;
    function.getContext().emitError(
        "ascribe: " + function.getName() +
        " uses %gs, which the counters need: build the whole program with "
        "'ascribe cc --without-gs'");
    return true;
  }
  return false;
}

} // namespace ascribe
