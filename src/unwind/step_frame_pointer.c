#include "unwind/walk.h"

static bool load_return_address(const struct unwind_space *space,
                                const struct unwind_memory *memory, uint64_t at, uint64_t *pc) {
  return unwind_load(memory, at, pc) && space->find_object(space->objects, *pc - 1);
}

/* In its first and last instructions a function has no frame, and a small one has none at all: rbp
 * is the caller's. The return address is on top of the stack, or below an rbp just pushed. */
static bool find_without_frame(const struct unwind_frame *frame, const struct unwind_space *space,
                               const struct unwind_memory *memory, uint64_t *at, uint64_t *pc) {
  uint64_t top;
  *at = frame->registers[UNWIND_RSP];
  if (!frame->exact || !unwind_load(memory, *at, &top)) return false;
  if (top == frame->registers[UNWIND_RBP]) *at += 8;
  return load_return_address(space, memory, *at, pc);
}

enum unwind_end unwind_step_by_frame_pointer(struct unwind_frame *frame,
                                             const struct unwind_space *space,
                                             const struct unwind_memory *memory) {
  uint64_t at = frame->registers[UNWIND_RBP], callers = at, pc;
  if (!(frame->known >> UNWIND_RBP & 1) || at < frame->registers[UNWIND_RSP] || at < memory->low ||
      at >= memory->high || memory->high - at < 16)
    return UNWIND_NO_RULE;
  if (!find_without_frame(frame, space, memory, &at, &pc)) {
    at = callers + 8;
    if (!unwind_load(memory, callers, &callers) || !load_return_address(space, memory, at, &pc))
      return UNWIND_NO_RULE;
  }
  frame->registers[UNWIND_RBP] = callers;
  frame->registers[UNWIND_RSP] = at + 8;
  frame->registers[UNWIND_RIP] = pc;
  frame->known = 1u << UNWIND_RIP | 1u << UNWIND_RSP | 1u << UNWIND_RBP;
  frame->exact = false;
  return UNWIND_STEPPED;
}
