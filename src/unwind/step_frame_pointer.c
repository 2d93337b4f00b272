#include "unwind/segments.h"
#include "unwind/walk.h"

#define FUNCTION_MOST 65536 /* bytes of a function, for what looks like its call */
#define CALL_MOST 8         /* bytes of a call instruction, and more */

static bool load_return_address(const struct unwind_space *space,
                                const struct unwind_memory *memory, uint64_t at, uint64_t *pc) {
  return unwind_load(memory, at, pc) && space->find_object(space->objects, *pc - 1);
}

/* The code before an address: of its file, or in the process itself. */
static bool load_code_before(const struct unwind_space *space, const struct unwind_memory *memory,
                             uint64_t address, uint8_t code[CALL_MOST]) {
  const struct unwind_object *object = space->find_object(space->objects, address - 1);
  const uint8_t *found;
  uint64_t words[2], start = address - CALL_MOST, at = start / 8 * 8;
  if (object && object->tables) {
    if (unwind_code_at(object->tables, start - object->bias, &found) < CALL_MOST) return false;
  } else {
    if (!memory->load_elsewhere || !memory->load_elsewhere(memory->context, at, &words[0]) ||
        !memory->load_elsewhere(memory->context, at + 8, &words[1]))
      return false;
    found = (const uint8_t *)words + start % 8;
  }
  for (int i = 0; i < CALL_MOST; i++)
    code[i] = found[i];
  return true;
}

/* Stacks are full of old return addresses.  A call that names its function tells whether it may
 * have been ours; one through a pointer may; where there is none, nothing returns. */
static bool may_have_called(const struct unwind_space *space, const struct unwind_memory *memory,
                            uint64_t return_address, uint64_t pc) {
  uint8_t code[CALL_MOST];
  if (!load_code_before(space, memory, return_address, code)) return true;
  uint32_t distance = code[4] | code[5] << 8 | code[6] << 16 | (uint32_t)code[7] << 24;
  uint64_t target = return_address + (uint64_t)(int64_t)(int32_t)distance;
  if (code[3] == 0xe8 && pc - target < FUNCTION_MOST) return true;
  for (int length = 2; length <= 7; length++)
    if (code[CALL_MOST - length] == 0xff && (code[CALL_MOST + 1 - length] >> 3 & 7) == 2)
      return true;
  return false;
}

/* In its first and last instructions a function has no frame, and a small one has none at all: rbp
 * is the caller's. The return address is on top of the stack, or below an rbp just pushed. */
static bool find_without_frame(const struct unwind_frame *frame, const struct unwind_space *space,
                               const struct unwind_memory *memory, uint64_t *at, uint64_t *pc) {
  uint64_t top;
  *at = frame->registers[UNWIND_RSP];
  if (!frame->exact || !unwind_load(memory, *at, &top)) return false;
  if (top == frame->registers[UNWIND_RBP]) *at += 8;
  return load_return_address(space, memory, *at, pc) &&
         may_have_called(space, memory, *pc, frame->registers[UNWIND_RIP]);
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
