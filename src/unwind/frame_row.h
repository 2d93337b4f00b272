/* Where every register of the caller is to be found, at one program counter: a row of the table
 * that call frame instructions describe (DWARF 3, 6.4.1). */
#ifndef ASCRIBE_UNWIND_FRAME_ROW_H
#define ASCRIBE_UNWIND_FRAME_ROW_H

#include "unwind/frame.h"
#include "unwind/frame_tables.h"

enum unwind_place {
  UNWIND_UNSAID,        /* unchanged if the callee has to save it, else unknown */
  UNWIND_UNKNOWN,       /* undefined: the value is lost */
  UNWIND_UNCHANGED,     /* same value */
  UNWIND_AT_CFA,        /* at CFA + value */
  UNWIND_IS_CFA,        /* CFA + value itself */
  UNWIND_IN_REGISTER,   /* in register `value` */
  UNWIND_AT_EXPRESSION, /* at the address that the expression gives */
  UNWIND_IS_EXPRESSION, /* what the expression gives */
};

/* `value`: bytes, a register, or where an expression stands, from the begin of .eh_frame. */
struct unwind_row {
  int32_t value[UNWIND_REGISTERS];
  uint8_t place[UNWIND_REGISTERS]; /* enum unwind_place */
  bool cfa_is_expression;
  uint8_t cfa_register;
  bool signal_frame;  /* what it interrupted runs on at its pc: that is no return address */
  bool sigreturn;     /* the kernel's signal frame, told by the code: nothing else here counts */
  int32_t cfa_offset; /* from the register; kept while an expression holds instead */
  int32_t cfa_expression; /* where it stands */
};

/* The row for a link-time address. 0, or -1 where there is none, or none that can be used.
 * Async-signal-safe; any thread. */
int unwind_find_row(const struct unwind_tables *tables, uint64_t address, struct unwind_row *row);

#endif
