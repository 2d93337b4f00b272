#include "unwind/frame_expression.h"

#define STACK_MOST 16
#define OPERATIONS_MOST 64

struct evaluation {
  struct byte_cursor code;
  const struct unwind_frame *frame;
  const struct unwind_memory *memory;
  uint64_t stack[STACK_MOST];
  uint32_t depth;
  enum unwind_end end; /* what went wrong */
};

struct byte_cursor unwind_expression_at(const struct unwind_tables *tables, int32_t value) {
  const uint8_t *frames = tables->image + tables->frames;
  struct byte_cursor code = {frames + value, tables->image + tables->frames_end};
  uint64_t bytes = byte_cursor_uleb(&code);
  struct byte_cursor after = code;
  byte_cursor_skip(&after, bytes);
  code.end = after.at;
  code.failed = after.failed;
  return code;
}

static void push(struct evaluation *evaluation, uint64_t value) {
  if (evaluation->depth == STACK_MOST)
    evaluation->end = UNWIND_NO_RULE;
  else
    evaluation->stack[evaluation->depth++] = value;
}
static uint64_t pop(struct evaluation *evaluation) {
  if (evaluation->depth) return evaluation->stack[--evaluation->depth];
  evaluation->end = UNWIND_NO_RULE;
  return 0;
}

static void push_register(struct evaluation *evaluation, uint32_t number) {
  uint64_t offset = (uint64_t)byte_cursor_sleb(&evaluation->code);
  if (number >= UNWIND_REGISTERS || !(evaluation->frame->known >> number & 1))
    evaluation->end = UNWIND_UNKNOWN_REGISTER;
  else
    push(evaluation, evaluation->frame->registers[number] + offset);
}

static void dereference(struct evaluation *evaluation) {
  uint64_t value = 0;
  if (!unwind_load(evaluation->memory, pop(evaluation), &value))
    evaluation->end = UNWIND_BAD_MEMORY;
  push(evaluation, value);
}

/* Constants of 1, 2, 4 and 8 bytes, unsigned and signed in turn. */
static void push_constant(struct evaluation *evaluation, uint32_t operation) {
  uint32_t bytes = 1u << (operation - EXPRESSION_U1) / 2;
  if ((operation - EXPRESSION_U1) % 2)
    push(evaluation, (uint64_t)byte_cursor_signed(&evaluation->code, bytes));
  else
    push(evaluation, byte_cursor_number(&evaluation->code, bytes));
}

static uint64_t shifted(uint64_t value, uint64_t by, bool left) {
  if (by >= 64) return 0;
  return left ? value << by : value >> by;
}

/* Two values become one. */
static void combine(struct evaluation *evaluation, uint32_t operation) {
  uint64_t b = pop(evaluation), a = pop(evaluation), result = 0;
  switch (operation) {
  case EXPRESSION_AND:
    result = a & b;
    break;
  case EXPRESSION_MINUS:
    result = a - b;
    break;
  case EXPRESSION_MULTIPLY:
    result = a * b;
    break;
  case EXPRESSION_OR:
    result = a | b;
    break;
  case EXPRESSION_PLUS:
    result = a + b;
    break;
  case EXPRESSION_SHIFT_LEFT:
    result = shifted(a, b, true);
    break;
  case EXPRESSION_SHIFT_RIGHT:
    result = shifted(a, b, false);
    break;
  case EXPRESSION_EQUAL:
    result = a == b;
    break;
  case EXPRESSION_GREATER_EQUAL:
    result = (int64_t)a >= (int64_t)b;
    break;
  case EXPRESSION_GREATER:
    result = (int64_t)a > (int64_t)b;
    break;
  case EXPRESSION_LESS_EQUAL:
    result = (int64_t)a <= (int64_t)b;
    break;
  case EXPRESSION_LESS:
    result = (int64_t)a < (int64_t)b;
    break;
  case EXPRESSION_UNEQUAL:
    result = a != b;
    break;
  default:
    evaluation->end = UNWIND_NO_RULE;
  }
  push(evaluation, result);
}

/* The order of the stack. */
static void rearrange(struct evaluation *evaluation, uint32_t operation) {
  uint64_t a = pop(evaluation), b;
  switch (operation) {
  case EXPRESSION_DUPLICATE:
    push(evaluation, a);
    push(evaluation, a);
    return;
  case EXPRESSION_DROP:
    return;
  case EXPRESSION_OVER:
    b = pop(evaluation);
    push(evaluation, b);
    push(evaluation, a);
    push(evaluation, b);
    return;
  case EXPRESSION_SWAP:
    b = pop(evaluation);
    push(evaluation, a);
    push(evaluation, b);
    return;
  }
  evaluation->end = UNWIND_NO_RULE;
}

static void evaluate(struct evaluation *evaluation, uint32_t operation) {
  if (operation >= EXPRESSION_REGISTER && operation < EXPRESSION_END)
    push_register(evaluation, operation - EXPRESSION_REGISTER);
  else if (operation >= EXPRESSION_LITERAL && operation < EXPRESSION_LITERAL + 32)
    push(evaluation, operation - EXPRESSION_LITERAL);
  else if (operation >= EXPRESSION_U1 && operation <= EXPRESSION_S8)
    push_constant(evaluation, operation);
  else if (operation == EXPRESSION_DEREFERENCE)
    dereference(evaluation);
  else if (operation == EXPRESSION_ULEB)
    push(evaluation, byte_cursor_uleb(&evaluation->code));
  else if (operation == EXPRESSION_SLEB)
    push(evaluation, (uint64_t)byte_cursor_sleb(&evaluation->code));
  else if (operation == EXPRESSION_PLUS_ULEB)
    push(evaluation, pop(evaluation) + byte_cursor_uleb(&evaluation->code));
  else if (operation >= EXPRESSION_AND && operation <= EXPRESSION_UNEQUAL)
    combine(evaluation, operation);
  else
    rearrange(evaluation, operation);
}

enum unwind_end unwind_expression_value(struct byte_cursor expression,
                                        const struct unwind_frame *frame,
                                        const struct unwind_memory *memory, const uint64_t *pushed,
                                        uint64_t *value) {
  struct evaluation evaluation;
  evaluation.code = expression;
  evaluation.frame = frame;
  evaluation.memory = memory;
  evaluation.depth = 0;
  evaluation.end = UNWIND_STEPPED;
  if (pushed) push(&evaluation, *pushed);
  for (uint32_t i = 0; evaluation.code.at < evaluation.code.end; i++) {
    if (i == OPERATIONS_MOST) evaluation.end = UNWIND_NO_RULE;
    if (evaluation.end != UNWIND_STEPPED) break;
    evaluate(&evaluation, (uint32_t)byte_cursor_number(&evaluation.code, 1));
  }
  if (evaluation.end != UNWIND_STEPPED) return evaluation.end;
  if (evaluation.code.failed || !evaluation.depth) return UNWIND_NO_RULE;
  *value = pop(&evaluation);
  return UNWIND_STEPPED;
}
