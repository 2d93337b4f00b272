#include "unwind/signal_context.h"

#include <stddef.h>
#include <ucontext.h>

_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == SIGNAL_CONTEXT_REGISTERS, "");
_Static_assert(SIGNAL_CONTEXT_RSP == SIGNAL_CONTEXT_REGISTERS + 8 * REG_RSP, "");
_Static_assert(SIGNAL_CONTEXT_RIP == SIGNAL_CONTEXT_REGISTERS + 8 * REG_RIP, "");

static const uint8_t order[UNWIND_REGISTERS] = {
    [REG_RAX] = UNWIND_RAX, [REG_RDX] = UNWIND_RDX, [REG_RCX] = UNWIND_RCX, [REG_RBX] = UNWIND_RBX,
    [REG_RSI] = UNWIND_RSI, [REG_RDI] = UNWIND_RDI, [REG_RBP] = UNWIND_RBP, [REG_RSP] = UNWIND_RSP,
    [REG_R8] = UNWIND_R8,   [REG_R9] = UNWIND_R9,   [REG_R10] = UNWIND_R10, [REG_R11] = UNWIND_R11,
    [REG_R12] = UNWIND_R12, [REG_R13] = UNWIND_R13, [REG_R14] = UNWIND_R14, [REG_R15] = UNWIND_R15,
    [REG_RIP] = UNWIND_RIP};

static void complete(struct unwind_frame *frame) {
  frame->known = UNWIND_ALL_KNOWN;
  frame->exact = true;
}

void unwind_frame_from_context(struct unwind_frame *frame, const long long *gregs) {
  for (uint32_t i = 0; i < UNWIND_REGISTERS; i++)
    frame->registers[order[i]] = (uint64_t)gregs[i];
  complete(frame);
}

bool unwind_signal_context(struct unwind_frame *frame, const struct unwind_memory *memory,
                           uint64_t context) {
  struct unwind_frame found;
  for (uint32_t i = 0; i < UNWIND_REGISTERS; i++)
    if (!unwind_load(memory, context + SIGNAL_CONTEXT_REGISTERS + 8 * i,
                     &found.registers[order[i]]))
      return false;
  complete(&found);
  *frame = found;
  return true;
}
