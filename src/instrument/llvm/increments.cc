// x86-64: the machine code that counts (include/ascribe/hook.h, "Counts"). As the GCC plugin's, in
// AT&T's syntax whatever the unit's own is. None of it uses the stack without stepping over the 128
// bytes below the stack pointer, unless the function keeps nothing there.
#include "instrument/llvm/counting_pass.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ascribe/hook.h"
#include "instrument/common/early_gate.h"

#ifndef __x86_64__
#error "the counters' asm statements are written for x86-64 so far"
#endif

namespace ascribe {
namespace {

const char FLAGS[] = "~{dirflag},~{fpsr},~{flags}";

// The unit's entry stays where linkers leave out sections that nobody refers to (--gc-sections).
const char KEEP_UNIT[] = ".reloc ., R_X86_64_NONE, .Lascribe_unit\n\t";

static_assert(offsetof(ascribe_unit, mask) == 8 && offsetof(ascribe_counting, word) == 0 &&
                  offsetof(ascribe_counting, gate) == 8 &&
                  offsetof(ascribe_counting, enter_slow) == 16 &&
                  offsetof(ascribe_gate, mask) == 0 && offsetof(ascribe_gate, table) == 8 &&
                  offsetof(ascribe_slot, from) == 0 && offsetof(ascribe_slot, callee) == 8 &&
                  offsetof(ascribe_slot, site) == 16 && offsetof(ascribe_slot, count) == 24,
              "the offsets are written as text");

} // namespace

// Volatile, so that these statements keep their order and are not left out.
llvm::CallInst *add_assembly(llvm::IRBuilder<> &at, llvm::Type *result,
                             llvm::ArrayRef<llvm::Value *> inputs, const std::string &text,
                             const std::string &constraints) {
  std::vector<llvm::Type *> types;
  for (llvm::Value *input : inputs)
    types.push_back(input->getType());
  std::string all = constraints + (constraints.empty() ? "" : ",") + FLAGS;
  llvm::FunctionType *type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst *call = at.CreateCall(type, llvm::InlineAsm::get(type, text, all, true), inputs);
  mark_as_ours(*call);
  return call;
}

namespace {

std::string offset_of(size_t counter) {
  return std::to_string(8 * counter);
}

// `unit` and `scratch` are registers of a statement's text.
std::string count_in_library(size_t counter, const std::string &unit, const std::string &scratch) {
  return "movq .Lascribe_unit+8(%rip), " + unit + "\n\tmovq ascribe_counting(%rip), " + scratch +
         "\n\tandq %fs:(" + scratch + "), " + unit + "\n\taddq .Lascribe_unit(%rip), " + unit +
         "\n\tincq " + offset_of(counter) + "(" + unit + ")";
}

// An address, for code that steps over the red zone or does not.
bool may_have_red_zone(const llvm::CallBase &call) {
  auto *plain = llvm::dyn_cast<llvm::CallInst>(&call);
  return (plain && plain->isTailCall()) || call.onlyReadsMemory();
}

// rax holds the callee, and the cell is another function's or nobody's.
void count_other_in_executable(llvm::IRBuilder<> &at, const call_through_pointer &site,
                               llvm::Value *callee) {
  bool below = may_have_red_zone(*site.call);
  std::string text = below ? "leaq -128(%rsp), %rsp\n\t" : "";
  text += "pushq %rax\n\tleaq .Lascribe_counters+" + offset_of(site.cell) +
          "(%rip), %rax\n\tcall *ascribe_count_callee@GOTPCREL(%rip)\n\t";
  text += below ? "leaq 136(%rsp), %rsp" : "popq %rax";
  add_assembly(at, callee->getType(), {callee}, text, "={ax},0");
}

// Takes the cell if nobody has it; else looks in the table, if there is one, at the callee's home
// slot; what is elsewhere, or new, is left to the runtime.
void count_other_in_library(llvm::IRBuilder<> &at, const call_through_pointer &site,
                            llvm::Value *callee) {
  std::string cell = offset_of(site.cell) + "(%rdx)";
  std::string text = "movq .Lascribe_unit(%rip), %rdx\n\t"
                     "cmpq $$0, " +
                     cell +
                     "\n\tjne 2f\n\t"
                     "movq %rax, %rcx\n\t"
                     "xorl %eax, %eax\n\t"
                     "lock cmpxchgq %rcx, " +
                     cell +
                     "\n\tje 1f\n\t"
                     "cmpq %rcx, %rax\n\t"
                     "movq %rcx, %rax\n\t"
                     "jne 2f\n"
                     "1:\t" +
                     count_in_library(site.cell + 1, "%rdx", "%rcx") +
                     "\n\tjmp 4f\n"
                     "2:\tcmpq $$0, .Lascribe_unit+8(%rip)\n\t"
                     "je 4f\n\t"
                     "btsq $$61, %rax\n\t"
                     "leaq .Lascribe_f" +
                     std::to_string(site.function) + "+" + std::to_string(site.ordinal) +
                     "(%rip), %rcx\n\t"
                     "movq ascribe_counting+8(%rip), %rdx\n\t"
                     "movq %fs:(%rdx), %rdx\n\t"
                     "leaq (%rcx,%rax,2), %rsi\n\t"
                     "imulq $$" +
                     std::to_string(ASCRIBE_HASH_SITE) +
                     ", %rsi, %rsi\n\t"
                     "andq (%rdx), %rsi\n\t"
                     "addq 8(%rdx), %rsi\n\t"
                     "addq %rdx, %rsi\n\t"
                     "cmpq %rcx, 16(%rsi)\n\t"
                     "jne 3f\n\t"
                     "cmpl $$0, (%rsi)\n\t"
                     "jne 3f\n\t"
                     "cmpq %rax, 8(%rsi)\n\t"
                     "jne 3f\n\t"
                     "incq 24(%rsi)\n\t"
                     "jmp 4f\n"
                     "3:\tleaq -128(%rsp), %rsp\n\t"
                     "pushq %rcx\n\t"
                     "call *ascribe_counting+16(%rip)\n\t"
                     "leaq 136(%rsp), %rsp\n"
                     "4:";
  static_assert(ASCRIBE_CALL_INDIRECT == 1ull << 61, "the bit is written as text");
  add_assembly(at, callee->getType(), {callee}, text, "={ax},0,~{rcx},~{rdx},~{rsi}");
}

// What is rarer than the function itself takes little time there, and half of the bytes.
void count_out_of_line(llvm::IRBuilder<> &at, const call_through_pointer &site,
                       llvm::Value *callee) {
  std::string text =
      "leaq .Lascribe_counters+" + offset_of(site.cell) + "(%rip), %r11\n\tcall ascribe_count_call";
  if (may_have_red_zone(*site.call))
    text = "addq $$-128, %rsp\n\t" + text + "_below\n\tsubq $$-128, %rsp";
  add_assembly(at, at.getVoidTy(), {callee}, KEEP_UNIT + text, "{ax},~{r11}");
}

// Is the callee the one that the cell holds?
llvm::Value *is_known(llvm::IRBuilder<> &at, counting_way way, size_t cell, llvm::Value *callee) {
  std::string offset = offset_of(cell);
  if (way == COUNTS_IN_LIBRARY) {
    llvm::Value *known =
        add_assembly(at, callee->getType(), {},
                     "movq .Lascribe_unit(%rip), $0\n\tmovq " + offset + "($0), $0", "=r");
    return at.CreateICmpEQ(known, callee);
  }
  llvm::Value *equal =
      add_assembly(at, at.getInt8Ty(), {callee}, "cmpq $1, .Lascribe_counters+" + offset + "(%rip)",
                   "={@cce},r");
  return at.CreateICmpNE(equal, at.getInt8(0));
}

} // namespace

// In this thread's area. One instruction increments: a signal cannot split it.
void count(llvm::IRBuilder<> &at, counting_way way, size_t counter) {
  switch (way) {
  case COUNTS_BY_SEGMENT:
    add_assembly(at, at.getVoidTy(), {},
                 KEEP_UNIT + ("incq %gs:.Lascribe_counters+" + offset_of(counter) + "(%rip)"), "");
    return;
  case COUNTS_BY_WORD:
    add_assembly(at, at.getInt64Ty(), {},
                 "movq .Lascribe_unit(%rip), $0\n\taddq %fs:ascribe.counts@tpoff, $0\n\tincq " +
                     offset_of(counter) + "($0)",
                 "=&r");
    return;
  case COUNTS_IN_LIBRARY:
    llvm::Type *word = at.getInt64Ty();
    add_assembly(at, llvm::StructType::get(word, word), {}, count_in_library(counter, "$0", "$1"),
                 "=&r,=&r");
  }
}

void give_gate(llvm::IRBuilder<> &at) {
  std::string text;
  for (const char *from = GIVE_GATE; *from; from++)
    text += *from == '$' ? "$$" : std::string(1, *from);
  add_assembly(at, at.getVoidTy(), {}, text, "");
}

// Most sites call one function only: the first that is called has the site's cell, and a counter.
void count_callee(counting_way way, const call_through_pointer &site) {
  llvm::IRBuilder<> at(site.call);
  llvm::Value *callee = at.CreatePtrToInt(site.call->getCalledOperand(), at.getInt64Ty());
  if (way == COUNTS_BY_SEGMENT && site.rare) {
    count_out_of_line(at, site, callee);
    return;
  }
  llvm::Value *known = is_known(at, way, site.cell, callee);
  llvm::Instruction *hit, *other;
  llvm::MDNode *likely = llvm::MDBuilder(at.getContext()).createBranchWeights(2000, 1);
  llvm::SplitBlockAndInsertIfThenElse(known, site.call, &hit, &other, likely);
  llvm::IRBuilder<> at_hit(hit), at_other(other);
  at_hit.SetCurrentDebugLocation(site.call->getDebugLoc());
  at_other.SetCurrentDebugLocation(site.call->getDebugLoc());
  count(at_hit, way, site.cell + 1);
  if (way == COUNTS_IN_LIBRARY)
    count_other_in_library(at_other, site, callee);
  else
    count_other_in_executable(at_other, site, callee);
}

} // namespace ascribe
