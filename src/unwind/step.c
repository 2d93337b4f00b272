#include "unwind/step.h"

#include "unwind/signal_context.h"

#define RETURN_ADDRESS (-8) /* from the CFA */

static bool is_known(const struct unwind_frame *frame, uint32_t number) {
  return frame->known >> number & 1;
}

static enum unwind_end find_cfa(struct unwind_rule rule, const struct unwind_frame *frame,
                                const struct unwind_memory *memory, uint64_t *cfa) {
  if (!is_known(frame, rule.base)) return UNWIND_UNKNOWN_REGISTER;
  *cfa = frame->registers[rule.base] + (uint64_t)(int64_t)rule.offset;
  if (rule.kind == UNWIND_RULE_REGISTER) return UNWIND_STEPPED;
  if (rule.kind == UNWIND_RULE_PLT) {
    if ((frame->registers[UNWIND_RIP] & 15) >= (uint64_t)rule.addend) *cfa += 8;
    return UNWIND_STEPPED;
  }
  if (!unwind_load(memory, *cfa, cfa)) return UNWIND_BAD_MEMORY;
  *cfa += (uint64_t)(int64_t)rule.addend;
  return UNWIND_STEPPED;
}

/* False: it is not known. */
static bool find_frame_pointer(struct unwind_rule rule, const struct unwind_frame *frame,
                               const struct unwind_memory *memory, uint64_t cfa, uint64_t *value) {
  *value = frame->registers[UNWIND_RBP]; /* kept, should it not be known */
  switch (rule.frame_pointer) {
  case UNWIND_RBP_UNCHANGED:
    return is_known(frame, UNWIND_RBP);
  case UNWIND_RBP_UNKNOWN:
    return false;
  case UNWIND_RBP_AT_RBP:
    return is_known(frame, UNWIND_RBP) &&
           (unwind_rbp_is_callers(frame, cfa) || unwind_load(memory, *value, value));
  }
  return unwind_load(memory, cfa + 8 * (uint64_t)(int64_t)rule.frame_pointer, value);
}

enum unwind_end unwind_step(struct unwind_rule rule, struct unwind_frame *frame,
                            const struct unwind_memory *memory) {
  switch (rule.kind) {
  case UNWIND_RULE_REGISTER:
  case UNWIND_RULE_LOAD:
  case UNWIND_RULE_PLT:
    break;
  case UNWIND_RULE_SIGNAL:
    return unwind_signal_context(frame, memory, frame->registers[UNWIND_RSP]) ? UNWIND_STEPPED
                                                                              : UNWIND_BAD_MEMORY;
  case UNWIND_RULE_OUTERMOST:
    return UNWIND_OUTERMOST;
  case UNWIND_RULE_ROW:
    return UNWIND_NEEDS_ROW;
  default:
    return UNWIND_NO_RULE;
  }
  uint64_t cfa, pc, frame_pointer;
  enum unwind_end end = find_cfa(rule, frame, memory, &cfa);
  if (end != UNWIND_STEPPED) return end;
  if (!unwind_progresses(memory, frame, cfa)) return UNWIND_NOT_PROGRESSING;
  if (!unwind_load(memory, cfa + (uint64_t)RETURN_ADDRESS, &pc)) return UNWIND_BAD_MEMORY;
  if (!pc) return UNWIND_OUTERMOST;
  bool have_frame_pointer = find_frame_pointer(rule, frame, memory, cfa, &frame_pointer);
  frame->registers[UNWIND_RIP] = pc;
  frame->registers[UNWIND_RSP] = cfa;
  frame->registers[UNWIND_RBP] = frame_pointer;
  frame->known = 1u << UNWIND_RIP | 1u << UNWIND_RSP | (uint32_t)have_frame_pointer << UNWIND_RBP;
  frame->exact = false;
  return UNWIND_STEPPED;
}
