/* What the instructions of an executable name: calls, jumps, and addresses that they compute or
 * load (by capstone). */
#ifndef ASCRIBE_SYMBOLS_CODE_WALK_H
#define ASCRIBE_SYMBOLS_CODE_WALK_H

#include "symbols/symbols.h"
#include "symbols/text_symbols.h"

enum code_step_kind {
  CODE_CALL,
  CODE_JUMP,
  CODE_VALUE, /* any other instruction that names an address */
};

enum code_step_target {
  CODE_ADDRESS, /* `target` itself */
  CODE_MEMORY,  /* what stands in memory at `target` */
  CODE_UNKNOWN, /* what is in registers: a pointer */
};

struct code_step {
  enum code_step_kind kind;
  enum code_step_target to;
  uint64_t target;
  uint64_t address, next; /* of the instruction, and of what follows it */
  size_t symbol;          /* of the symbols that were walked */
  uint64_t start, end;    /* the symbol's code */
};

/* Each step in the code of each symbol of `text`, which is of the same executable, by address.
 * Fails on other machines than x86. */
int code_walk(struct symbol_file *file, const struct text_symbols *text,
              void (*take)(void *context, const struct code_step *step), void *context,
              struct error *error);

#endif
