/* The clocks of a process (clocks.h): a tick charges the running context of its thread. */
#ifndef ASCRIBE_RUNTIME_TICKS_H
#define ASCRIBE_RUNTIME_TICKS_H

#include "runtime/registry/thread_state.h"
#include "runtime/ticks/perf_event.h"

/* What the ticks are to be. */
struct ticks_wanted {
  uint32_t rate_hz;            /* 0: no ticks */
  bool cycles;                 /* the cycle counter instead, if the code reads it */
  bool host;                   /* a language host's counter instead */
  bool execs_seen;             /* ticks can be held before the program replaces itself */
  struct perf_measures events; /* what to measure, if not CPU time */
};

/* Install the handlers. Before the first thread is attached. */
void ticks_start(const struct ticks_wanted *wanted);

/* In a forked child: no clock runs yet. Forget the parent's. */
void ticks_start_child(struct thread_state *inherited);

/* Arm or disarm the clock of the calling thread. All signals are blocked.  False: it may still
 * tick, as the program has forbidden the calls that would stop it. */
void ticks_start_thread(struct thread_state *thread);
bool ticks_stop_thread(struct thread_state *thread);

/* No ticks for the calling thread until they go on. Ticks of others may have been ignored
 * meanwhile. Signal-safe. */
void ticks_hold(struct thread_state *thread);
void ticks_go_on(struct thread_state *thread);

/* The program forbids system calls to itself: from now on the clocks keep one period; `stop`: there
 * are no more ticks, as their handlers could not return. Then, should it not come to that.  Not for
 * handlers. */
void ticks_settle(bool stop);
void ticks_unsettle(void);

/* The program asks for a pause, or for its end: at once in the calling thread, in others with their
 * next tick. Any thread. */
void ticks_pause(bool asked);

/* The process ends: add up what all its threads have counted. */
void ticks_finish(void);

#endif
