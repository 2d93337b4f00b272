/* Where the pointer comes from that an indirect jump or call of x86 code goes to, as far as the
 * instructions right before it tell. */
#ifndef ASCRIBE_SYMBOLS_POINTER_ORIGIN_H
#define ASCRIBE_SYMBOLS_POINTER_ORIGIN_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

enum pointer_kind {
  ORIGIN_UNKNOWN,
  ORIGIN_PLACE,  /* the code names it: 0 for a weak symbol that is not there */
  ORIGIN_SUM,    /* added up in a register: as offsets in a jump table are to its address */
  ORIGIN_MEMORY, /* read from an address that the code names */
};

struct pointer_origin {
  enum pointer_kind kind;
  uint64_t address; /* of the place, or in memory */
  bool indexed;     /* and an index is added to it */
};

/* What registers hold. All zeros: unknown, as at the beginning of a function. */
struct pointer_origins {
  struct pointer_origin of[X86_REG_ENDING];
};

/* After each instruction, in the order in which they stand. */
void pointer_origins_note(struct pointer_origins *origins, const cs_insn *instruction);

/* The origin of a jump's or call's operand. */
struct pointer_origin pointer_origin_of(const struct pointer_origins *origins,
                                        const cs_insn *instruction, const cs_x86_op *operand);

#endif
