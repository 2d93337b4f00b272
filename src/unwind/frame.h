/* A frame of a stack: the registers as they are in it, as far as they are known; and the memory
 * that the stack is read from. */
#ifndef ASCRIBE_UNWIND_FRAME_H
#define ASCRIBE_UNWIND_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* DWARF's numbers (System V ABI, AMD64 supplement, figure 3.36). */
enum unwind_register {
  UNWIND_RAX,
  UNWIND_RDX,
  UNWIND_RCX,
  UNWIND_RBX,
  UNWIND_RSI,
  UNWIND_RDI,
  UNWIND_RBP,
  UNWIND_RSP,
  UNWIND_R8,
  UNWIND_R9,
  UNWIND_R10,
  UNWIND_R11,
  UNWIND_R12,
  UNWIND_R13,
  UNWIND_R14,
  UNWIND_R15,
  UNWIND_RIP,
  UNWIND_REGISTERS
};
#define UNWIND_ALL_KNOWN ((1u << UNWIND_REGISTERS) - 1)

struct unwind_frame {
  uint64_t registers[UNWIND_REGISTERS];
  uint32_t known; /* bit r: registers[r] is known; rsp and rip always are */
  bool exact; /* rip is the next instruction: innermost, or interrupted by a signal. Otherwise it
               * is a return address, and the call before it is what runs. */
};

/* The frame that a signal has interrupted. `gregs`: uc_mcontext.gregs of its ucontext_t. */
void unwind_frame_from_context(struct unwind_frame *frame, const long long *gregs);

/* What a rule is looked up for: an address within the running instruction. */
static inline uint64_t unwind_frame_place(const struct unwind_frame *frame) {
  return frame->registers[UNWIND_RIP] - !frame->exact;
}

/* The stack [low, high), read from a copy or in place. */
struct unwind_memory {
  uint64_t low, high;
  const void *bytes; /* what lies at `low`; inside the process `low` itself */
  /* Load 8 bytes elsewhere (other stacks); false where it cannot. Null: nothing else is read. */
  bool (*load_elsewhere)(void *context, uint64_t address, uint64_t *value);
  void *context;
};

typedef uint64_t __attribute__((may_alias, aligned(1))) unwind_stack_word;

static inline bool unwind_load(const struct unwind_memory *memory, uint64_t address,
                               uint64_t *value) {
  uint64_t at = address - memory->low, bytes = memory->high - memory->low;
  if (__builtin_expect(at < bytes && bytes - at >= 8, true)) {
    *value = *(const unwind_stack_word *)((const char *)memory->bytes + at);
    return true;
  }
  return memory->load_elsewhere && memory->load_elsewhere(memory->context, address, value);
}

/* Where rbp is said to point at the caller's rbp, it lies in the frame. In the last instructions of
 * functions that realign their stack gcc says so of an rbp that is the caller's already. */
static inline bool unwind_rbp_is_callers(const struct unwind_frame *frame, uint64_t cfa) {
  return frame->registers[UNWIND_RBP] < frame->registers[UNWIND_RSP] ||
         frame->registers[UNWIND_RBP] >= cfa;
}

/* Whether a caller's stack pointer may be `cfa`: above the frame's own, or on another stack than
 * the one at hand. Code that jumps to its caller, as longjmp does, may have taken over that pointer
 * already. */
static inline bool unwind_progresses(const struct unwind_memory *memory,
                                     const struct unwind_frame *frame, uint64_t cfa) {
  uint64_t bytes = memory->high - memory->low, sp = frame->registers[UNWIND_RSP];
  return cfa > sp || (cfa == sp && frame->exact) || sp - memory->low > bytes ||
         cfa - memory->low > bytes;
}

#endif
