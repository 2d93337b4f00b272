/* The perf event of a thread that makes its ticks: CPU time (task-clock), or what --event names.
 *
 * The kernel sends SIGTRAP at each `period`. The clock's descriptor is closed as soon as the event
 * is mapped, which keeps it alive; a new period takes a new event (13 us; setting it by descriptor
 * takes 1). What --event names must be read, so its descriptors stay: out of the way of those that
 * the program counts on, and it may close them. */
#ifndef ASCRIBE_RUNTIME_PERF_EVENT_H
#define ASCRIBE_RUNTIME_PERF_EVENT_H

#include <signal.h>

#include "runtime/registry/thread_state.h"

/* What is measured. */
struct perf_measure {
  uint32_t type; /* perf's: PERF_TYPE_HARDWARE... */
  uint64_t config;
  bool chosen; /* by --event; else it is the clock */
  bool kernel; /* ticks fall into the kernel too */
};

bool perf_measure_is_cpu_time(const struct perf_measure *measure);

/* Up to the first that is not chosen. */
struct perf_measures {
  struct perf_measure list[EVENTS_MOST];
};

/* Whether the kernel lets us have it as thread->events[event], here and below: 0 or its negative
 * errno. `execs_seen`: ticks can be held before the program replaces itself. Before the first
 * thread is started. */
long perf_event_try(unsigned event, struct perf_measure measure, bool execs_seen);

/* The highest rate at which every tick arrives: above it the kernel leaves some out. Not for
 * handlers. */
uint32_t perf_event_rate_most(void);

/* For the calling thread. False: too many open files, or the kernel's limit.  One that may no
 * longer see the kernel's CPU time samples that of user code, and says so in the recording. */
bool perf_event_start(struct thread_state *thread, unsigned event, uint64_t period);
void perf_event_stop(struct thread_state *thread);

/* Whether it has been started, and can make ticks. */
bool perf_event_is_armed(const struct thread_state *thread, unsigned event);

/* For any thread. False where there is no event, or no free descriptor: then the period stays.
 * Signal-safe. */
bool perf_event_set_period(struct thread_state *thread, unsigned event, uint64_t period);

/* As above, and ticks stand for the new period, which begins now. */
void perf_event_renew(struct thread_state *thread, unsigned event, uint64_t period);

/* Stop or resume all events of any thread. Signal-safe. */
void perf_event_enable(struct thread_state *thread, bool enabled);

/* How much it has counted; false where the program has closed the descriptor. Signal-safe. */
bool perf_event_count(const struct thread_state *thread, unsigned event, uint64_t *count);

/* In a forked child: the descriptors of a thread of the parent's, which may have been about to
 * close one. */
void perf_event_forget(struct thread_state *inherited);

/* The periods of CPU time that have ended since the last call, by where they ended. */
struct ended_periods {
  uint64_t in_user, in_kernel;
  uint64_t held;     /* of in_user: elsewhere than where the signal came, as it was blocked */
  uint64_t lost;     /* in user code, held, and the log had no room for where */
  uint64_t from, to; /* where the log has them */
};

/* One signal may stand for several periods, as those that end in the kernel wait for its return to
 * user code; or for none, as those of a handler were taken at its end.  `pc`: where the signal
 * came; 0: then none counts as held.  False: not known, as the kernel's log of them could not be
 * mapped. Owner thread, signals blocked. */
bool perf_event_take(struct thread_state *thread, unsigned event, uint64_t pc,
                     struct ended_periods *ended);

/* Where the next of those held ended; 0: there are no more. Before the next perf_event_take. */
uint64_t perf_event_next_held(const struct thread_state *thread, unsigned event, uint64_t pc,
                              struct ended_periods *ended);

/* Whether a SIGTRAP is ours, and then of which event. Signal-safe. */
unsigned perf_event_of(const siginfo_t *info);
bool perf_event_is(const siginfo_t *info);

#endif
