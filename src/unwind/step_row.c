#include "unwind/step_row.h"

#include "unwind/frame_expression.h"
#include "unwind/signal_context.h"

#include <stddef.h>

/* System V ABI, AMD64 supplement, figure 3.4. */
#define CALLEE_SAVED                                                                               \
  (1u << UNWIND_RBX | 1u << UNWIND_RBP | 1u << UNWIND_R12 | 1u << UNWIND_R13 | 1u << UNWIND_R14 |  \
   1u << UNWIND_R15)

struct step {
  const struct unwind_tables *tables;
  const struct unwind_row *row;
  const struct unwind_frame *frame;
  const struct unwind_memory *memory;
  uint64_t cfa;
  bool restored; /* unwind_rbp_is_callers: and so are the other registers */
};

static enum unwind_end register_value(const struct step *step, uint32_t number, uint64_t *value) {
  if (number >= UNWIND_REGISTERS || !(step->frame->known >> number & 1))
    return UNWIND_UNKNOWN_REGISTER;
  *value = step->frame->registers[number];
  return UNWIND_STEPPED;
}

static enum unwind_end find_cfa(struct step *step) {
  const struct unwind_row *row = step->row;
  if (row->cfa_is_expression)
    return unwind_expression_value(unwind_expression_at(step->tables, row->cfa_expression),
                                   step->frame, step->memory, NULL, &step->cfa);
  enum unwind_end end = register_value(step, row->cfa_register, &step->cfa);
  step->cfa += (uint64_t)(int64_t)row->cfa_offset;
  return end;
}

/* Where an expression says that the caller's rbp is to be found. */
static bool is_restored(const struct step *step) {
  const struct unwind_row *row = step->row;
  uint64_t at;
  return row->place[UNWIND_RBP] == UNWIND_AT_EXPRESSION &&
         unwind_expression_value(unwind_expression_at(step->tables, row->value[UNWIND_RBP]),
                                 step->frame, step->memory, &step->cfa, &at) == UNWIND_STEPPED &&
         at == step->frame->registers[UNWIND_RBP] && unwind_rbp_is_callers(step->frame, step->cfa);
}

static enum unwind_end load(const struct step *step, uint64_t address, uint64_t *value) {
  return unwind_load(step->memory, address, value) ? UNWIND_STEPPED : UNWIND_BAD_MEMORY;
}

static enum unwind_end unsaid(const struct step *step, uint32_t number, uint64_t *value) {
  if (number == UNWIND_RIP) return UNWIND_NO_RULE;
  if (number == UNWIND_RSP) {
    *value = step->cfa;
    return UNWIND_STEPPED;
  }
  if (!(CALLEE_SAVED >> number & 1)) return UNWIND_UNKNOWN_REGISTER;
  return register_value(step, number, value);
}

static enum unwind_end caller_register(const struct step *step, uint32_t number, uint64_t *value) {
  int32_t said = step->row->value[number];
  uint64_t at_cfa = step->cfa + (uint64_t)(int64_t)said;
  enum unwind_end end;
  switch (step->row->place[number]) {
  case UNWIND_UNSAID:
    return unsaid(step, number, value);
  case UNWIND_UNCHANGED:
    return register_value(step, number, value);
  case UNWIND_AT_CFA:
    return load(step, at_cfa, value);
  case UNWIND_IS_CFA:
    *value = at_cfa;
    return UNWIND_STEPPED;
  case UNWIND_IN_REGISTER:
    return register_value(step, (uint32_t)said, value);
  case UNWIND_AT_EXPRESSION:
  case UNWIND_IS_EXPRESSION:
    if (step->restored && CALLEE_SAVED >> number & 1) return register_value(step, number, value);
    end = unwind_expression_value(unwind_expression_at(step->tables, said), step->frame,
                                  step->memory, &step->cfa, value);
    if (end != UNWIND_STEPPED || step->row->place[number] == UNWIND_IS_EXPRESSION) return end;
    return load(step, *value, value);
  }
  return number == UNWIND_RIP ? UNWIND_OUTERMOST : UNWIND_UNKNOWN_REGISTER;
}

enum unwind_end unwind_step_row(const struct unwind_tables *tables, const struct unwind_row *row,
                                struct unwind_frame *frame, const struct unwind_memory *memory) {
  struct step step = {tables, row, frame, memory, 0, false};
  uint64_t sp = frame->registers[UNWIND_RSP];
  if (row->sigreturn)
    return unwind_signal_context(frame, memory, sp) ? UNWIND_STEPPED : UNWIND_BAD_MEMORY;
  if (row->place[UNWIND_RIP] == UNWIND_UNKNOWN) return UNWIND_OUTERMOST;
  enum unwind_end end = find_cfa(&step);
  if (end != UNWIND_STEPPED) return end;
  step.restored = is_restored(&step);
  struct unwind_frame caller;
  caller.known = 0;
  caller.exact = row->signal_frame;
  for (uint32_t number = 0; number < UNWIND_REGISTERS; number++) {
    caller.registers[number] = 0;
    end = caller_register(&step, number, &caller.registers[number]);
    if (end == UNWIND_STEPPED)
      caller.known |= 1u << number;
    else if (number == UNWIND_RSP || number == UNWIND_RIP)
      return end;
  }
  if (!caller.registers[UNWIND_RIP]) return UNWIND_OUTERMOST;
  if (!row->signal_frame && !unwind_progresses(memory, frame, caller.registers[UNWIND_RSP]))
    return UNWIND_NOT_PROGRESSING;
  *frame = caller;
  return UNWIND_STEPPED;
}
