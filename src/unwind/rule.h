/* How to get from a frame to its caller's at one program counter, in 8 bytes. */
#ifndef ASCRIBE_UNWIND_RULE_H
#define ASCRIBE_UNWIND_RULE_H

#include "unwind/frame_tables.h"

/* The canonical frame address (CFA) is what the stack pointer was before the call; the return
 * address lies at CFA - 8 in the first four that are known. */
enum unwind_rule_kind {
  UNWIND_RULE_NONE,      /* nothing is known about the code at this place */
  UNWIND_RULE_REGISTER,  /* CFA = base + offset */
  UNWIND_RULE_LOAD,      /* CFA = *(base + offset) + addend: a frame that was realigned */
  UNWIND_RULE_PLT,       /* CFA = rsp + offset + (8 where (pc & 15) >= addend) */
  UNWIND_RULE_SIGNAL,    /* all registers stand in the ucontext that rsp points at */
  UNWIND_RULE_OUTERMOST, /* the frame has no caller */
  UNWIND_RULE_ROW,       /* it does not fit here: see unwind_find_row */
  UNWIND_RULE_CHAIN,     /* no table tells, but the code may keep frame pointers */
};

/* Where the caller's rbp is. Other values: at CFA + 8 * frame_pointer. */
#define UNWIND_RBP_UNCHANGED 0
#define UNWIND_RBP_AT_RBP INT16_MIN /* where rbp points at */
#define UNWIND_RBP_UNKNOWN (INT16_MIN + 1)

struct unwind_rule {
  int32_t offset;        /* bytes */
  int16_t frame_pointer; /* 8 bytes each, or UNWIND_RBP_* */
  uint8_t kind : 4;      /* enum unwind_rule_kind */
  uint8_t base : 4;      /* enum unwind_register */
  int8_t addend;         /* bytes */
};
_Static_assert(sizeof(struct unwind_rule) == 8, "a rule is stored in one instruction");

/* The rule for a link-time address: a binary search, then one function's table is run up to there.
 * About a microsecond. For a return address ask for the byte before it, which belongs to the call.
 * Async-signal-safe; any thread. */
struct unwind_rule unwind_find_rule(const struct unwind_tables *tables, uint64_t address);

#endif
