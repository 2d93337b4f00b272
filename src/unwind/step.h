/* From a frame to its caller's. */
#ifndef ASCRIBE_UNWIND_STEP_H
#define ASCRIBE_UNWIND_STEP_H

#include "unwind/frame.h"
#include "unwind/rule.h"

/* Why a walk ends, or UNWIND_STEPPED. */
enum unwind_end {
  UNWIND_STEPPED,
  UNWIND_OUTERMOST,        /* the stack is complete */
  UNWIND_MORE,             /* the array is: the walk can be continued */
  UNWIND_NO_RULE,          /* code that nothing is known of, or in no object */
  UNWIND_UNKNOWN_REGISTER, /* the rule rests on a register whose value is lost */
  UNWIND_BAD_MEMORY,       /* what the rule needs lies outside the memory */
  UNWIND_NOT_PROGRESSING,  /* the caller's frame would lie below this one */
  UNWIND_NEEDS_ROW,        /* by unwind_step only: UNWIND_RULE_ROW */
};

/* Make *frame its caller's. Any other result than UNWIND_STEPPED leaves it as it was. The callee-
 * saved registers other than rbp become unknown, but for signal frames. Async-signal-safe. */
enum unwind_end unwind_step(struct unwind_rule rule, struct unwind_frame *frame,
                            const struct unwind_memory *memory);

#endif
