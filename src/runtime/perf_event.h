/* The perf event of a thread that makes its ticks: CPU time (task-clock), or what --event names.
 *
 * The kernel sends SIGTRAP at each `period`. The descriptor is kept out of the way of those that
 * the program counts on, and may be closed by it: the event goes on. */
#ifndef ASCRIBE_RUNTIME_PERF_EVENT_H
#define ASCRIBE_RUNTIME_PERF_EVENT_H

#include <signal.h>

#include "runtime/thread_state.h"

/* What is measured. All zeros: CPU time in user code, in nanoseconds. */
struct perf_measure {
  uint32_t type; /* perf's: PERF_TYPE_HARDWARE... */
  uint64_t config;
  bool chosen; /* `type` and `config` say what; else CPU time */
  bool kernel; /* the kernel's own is measured too */
};

/* Up to the first that is not chosen: CPU time, where that is the first. */
struct perf_measures {
  struct perf_measure list[EVENTS_MOST];
};

/* Whether the kernel lets us have it as thread->events[event], here and below: 0 or its negative
 * errno. Before the first thread is started. */
long perf_event_try(unsigned event, const struct perf_measure *measure);

/* The highest rate at which every tick arrives: above it the kernel leaves some out. Not for
 * handlers. */
uint32_t perf_event_rate_most(void);

/* Of the calling thread. False: too many open files, or the kernel's limit. */
bool perf_event_start(struct thread_state *thread, unsigned event, uint64_t period);
void perf_event_stop(struct thread_state *thread);

/* Of any thread. False where the program has closed the descriptor: then it stays as it is.
 * Signal-safe. */
bool perf_event_set_period(const struct thread_state *thread, unsigned event, uint64_t period);

/* Of the calling thread, all events: no ticks, or again. Signal-safe. */
void perf_event_enable(const struct thread_state *thread, bool enabled);

/* How much it has counted; false where the program has closed the descriptor. Signal-safe. */
bool perf_event_count(const struct thread_state *thread, unsigned event, uint64_t *count);

/* In a forked child: the descriptors of a thread of the parent's. */
void perf_event_forget(const struct thread_state *inherited);

/* Whether a SIGTRAP is ours, and then of which event. Signal-safe. */
unsigned perf_event_of(const siginfo_t *info);
bool perf_event_is(const siginfo_t *info);

#endif
