/* DWARF expressions (DWARF 3, 2.5), as far as call frame information uses them. */
#ifndef ASCRIBE_UNWIND_FRAME_EXPRESSION_H
#define ASCRIBE_UNWIND_FRAME_EXPRESSION_H

#include "unwind/byte_cursor.h"
#include "unwind/frame.h"
#include "unwind/step.h"

enum unwind_operation {
  EXPRESSION_DEREFERENCE = 0x06,
  EXPRESSION_U1 = 0x08, /* then S1, U2, S2, U4, S4, U8, S8 */
  EXPRESSION_S8 = 0x0f,
  EXPRESSION_ULEB,
  EXPRESSION_SLEB,
  EXPRESSION_DUPLICATE,
  EXPRESSION_DROP,
  EXPRESSION_OVER,
  EXPRESSION_SWAP = 0x16,
  EXPRESSION_AND = 0x1a,
  EXPRESSION_MINUS = 0x1c,
  EXPRESSION_MULTIPLY = 0x1e,
  EXPRESSION_OR = 0x21,
  EXPRESSION_PLUS,
  EXPRESSION_PLUS_ULEB,
  EXPRESSION_SHIFT_LEFT,
  EXPRESSION_SHIFT_RIGHT,
  EXPRESSION_EQUAL = 0x29,
  EXPRESSION_GREATER_EQUAL,
  EXPRESSION_GREATER,
  EXPRESSION_LESS_EQUAL,
  EXPRESSION_LESS,
  EXPRESSION_UNEQUAL,
  EXPRESSION_LITERAL = 0x30,  /* 32 of them */
  EXPRESSION_REGISTER = 0x70, /* + offset; 32 of them */
  EXPRESSION_END = 0x90,
};

/* The expression that stands at `value` of a row (its length, then its operations). */
struct byte_cursor unwind_expression_at(const struct unwind_tables *tables, int32_t value);

/* Evaluate it in *frame; `pushed`, where not null, is on the stack at the begin. UNWIND_STEPPED:
 * *value is the result. Async-signal-safe. */
enum unwind_end unwind_expression_value(struct byte_cursor expression,
                                        const struct unwind_frame *frame,
                                        const struct unwind_memory *memory, const uint64_t *pushed,
                                        uint64_t *value);

#endif
