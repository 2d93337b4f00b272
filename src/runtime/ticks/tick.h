/* One tick: to what it is charged. Clocks make them in their handlers; all signals are blocked. */
#ifndef ASCRIBE_RUNTIME_TICK_H
#define ASCRIBE_RUNTIME_TICK_H

#include <ucontext.h>

#include "runtime/registry/thread_state.h"

struct tick {
  struct thread_state *thread;
  unsigned event;
  const ucontext_t *machine; /* the third argument of the handler */
  bool in_kernel;
  uint64_t weight; /* what it stands for */
  /* Not null: several, each of `weight`, that came due elsewhere than where their signal came. It
   * returns the places one by one, then 0. */
  uint64_t (*next_place)(struct tick *tick, uint64_t interrupted);
  void *places; /* for that */
};

/* Whether ticks count now in the calling thread: not in a pause, nor where one begins or ends in
 * it. The first thread to see the end of a pause wakes all clocks. */
bool tick_is_wanted(struct thread_state *thread);

/* Charge it to the code and the context that run, and the handler's time to the profiler. Once the
 * handler has nothing else to do for it. */
void tick_charge(struct tick *tick);

#endif
