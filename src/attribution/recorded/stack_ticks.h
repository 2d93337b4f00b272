/* Ticks with sampled stacks: their context is the stack that they found. */
#ifndef ASCRIBE_ATTRIBUTION_STACK_TICKS_H
#define ASCRIBE_ATTRIBUTION_STACK_TICKS_H

#include "attribution/recorded/stack_frames.h"

struct stack_ticks {
  struct stack_frames *frames; /* of the process at hand, as its places */
  uint32_t *history;           /* for the work */
};

/* A tick at a place (places.h), without its amount: where it belongs, with the functions inlined
 * there. `recorded`: the recorded context of the stack below it, or NOTHING; `thread` is the
 * profile's. */
struct profile_tick stack_tick_find(struct stack_ticks *ticks, uint32_t thread, uint32_t recorded,
                                    uint32_t place);

/* A tick, without its amount and centre, where a call was made: in the function that called, at the
 * line of the call, which is the innermost of the stack of a recorded context. */
struct profile_tick stack_tick_of_call(struct stack_ticks *ticks, uint32_t thread,
                                       uint32_t recorded);

void stack_ticks_close(struct stack_ticks *ticks);

#endif
