/* A clock: where ticks come from. The process has one, the first of clocks.h that can make the
 * ticks that are wanted; a thread may have a later one, where that refuses it. */
#ifndef ASCRIBE_RUNTIME_TICK_CLOCK_H
#define ASCRIBE_RUNTIME_TICK_CLOCK_H

#include "runtime/registry/thread_state.h"
#include "runtime/ticks/ticks.h"

/* How clocks run in a program that has forbidden system calls to itself: settled ones keep one
 * period, as a new one would take a call. */
enum clock_use { CLOCK_FREE, CLOCK_SETTLED, CLOCK_STOPPED };

struct clock {
  bool of_time; /* a tick stands for CPU time; else for events of its own period */

  /* Whether it can make what is wanted; then it says so in the recording's header, and has
   * installed its handler. Not for handlers. */
  bool (*start)(struct recording_header *header, const struct ticks_wanted *wanted);

  /* For the calling thread, with all signals blocked. False: the kernel refuses. Null: this clock
   * makes no ticks, and has none of the functions below. */
  bool (*start_thread)(struct thread_state *thread);
  void (*stop_thread)(struct thread_state *thread);

  /* No ticks for a thread until they go on. Signal-safe. */
  void (*hold)(struct thread_state *thread);

  /* For any thread. */
  void (*settle)(struct thread_state *thread, enum clock_use use);

  /* These are null where there is nothing to do.  For any thread; signal-safe: one tick after
   * `period`, be the clock in the middle of another; false where it stays as it is. */
  bool (*rearm)(struct thread_state *thread, uint64_t period);

  /* After `hold`; and, for any thread, its ticks may have been ignored meanwhile (`self` is the
   * calling one). Signal-safe. */
  void (*go_on)(struct thread_state *thread);
  void (*missed)(struct thread_state *thread, struct thread_state *self);

  /* For any thread: add what has been counted since the last time. */
  void (*count)(struct thread_state *thread);

  /* In a forked child: a thread of the parent's. */
  void (*forget)(struct thread_state *inherited);
};

/* How all clocks run now. */
enum clock_use clock_use(void);
void clock_set_use(enum clock_use now);

#endif
