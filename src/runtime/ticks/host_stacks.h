/* Stacks that a language host tells (ascribe/host.h): in ticks, or later.  They are sampled stacks
 * whose return addresses are points. */
#ifndef ASCRIBE_RUNTIME_HOST_STACKS_H
#define ASCRIBE_RUNTIME_HOST_STACKS_H

#include "runtime/contexts/hosts.h"

/* Whom ticks of the calling thread ask. */
void host_stacks_set(ascribe_stack callback, void *data);

/* Whether the calling thread's host may copy memory: in the callback, only so often.  So it comes
 * to an end in frames that lead back to themselves. */
bool host_stacks_may_copy(void);

/* Code in which a tick fell. */
struct tick_code {
  uint64_t pc;   /* as recorded_tick.pc, if it is not the host's own */
  uint32_t seen; /* objects_see of it; 0: in no object */
  bool is_own;   /* it runs the host's program: the tick belongs to the running point */
};

/* Ask the calling thread's host. True: `*stack` is where the tick belongs, and `*code` what of it
 * is to be recorded. False and *later: the host is going to tell, see below.  In handlers of ticks,
 * after objects_see; all signals are blocked. */
bool host_stacks_ask(struct thread_state *thread, struct tick_code *code, uint32_t *stack,
                     bool *later);

/* A tick of `weight` at that code was charged to `to` for the time being. As above. */
void host_stacks_hold(struct thread_state *thread, unsigned event, struct recorded_tick *to,
                      const struct tick_code *code, uint64_t weight);

/* The host tells. Not for handlers. */
void host_stacks_tell(struct thread_state *thread, const ascribe_point *points, uint32_t count);

#endif
