/* The handlers' own time. It is part of the program's CPU time, but no tick can fall into it: so it
 * is measured, charged to the profiler, left out of what ticks stand for, and kept a small part of
 * the thread's. Owner thread, all signals blocked. */
#ifndef ASCRIBE_RUNTIME_HANDLER_TIME_H
#define ASCRIBE_RUNTIME_HANDLER_TIME_H

#include "runtime/registry/thread_state.h"

struct handler_span {
  uint64_t started; /* by the time-stamp counter */
  uint64_t cpu_ns;  /* or by the thread's clock; 0: that was not read */
};
void handler_begins(struct thread_state *thread, struct handler_span *span);
void handler_ends(struct thread_state *thread, const struct handler_span *span);

/* `ns` without what of it went by in handlers. */
uint64_t handler_left_out(struct thread_state *thread, uint64_t ns);

/* Whether a tick of this weight is passed over, as those before it took too long. Else the next
 * that counts stands for what was passed over, too: handler_passed, which forgets it. */
bool handler_passes_over(struct thread_state *thread, uint64_t weight);
uint64_t handler_passed(struct thread_state *thread);

#endif
