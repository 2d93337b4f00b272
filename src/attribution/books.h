/* The whole that ticks are a share of, and the uncertainty of a share. */
#ifndef ASCRIBE_ATTRIBUTION_BOOKS_H
#define ASCRIBE_ATTRIBUTION_BOOKS_H

#include <stdbool.h>

#include "profile/profile.h"

/* A figure that lies between two. */
struct range {
  uint64_t low, high;
};

/* With ticks: user_ns + system_ns = sampled_ns + kernel_ns + unsampled_ns + handlers_ns.  With the
 * cycle counter sampled_ns is what it counted, waiting included. Always: sampled_ns = self times of
 * all functions + profiler + dropped. */
struct books {
  uint64_t user_ns, system_ns; /* CPU time of all processes, as the kernel counts it, without... */
  uint64_t paused_ns;          /* ...pauses, in which nothing was recorded */
  uint64_t sampled_ns;    /* the part that ticks were taken of; of a view of waits: looked at */
  uint64_t kernel_ns;     /* in the kernel, not sampled: what ticks leave of the CPU time */
  uint64_t unsampled_ns;  /* of processes that had no clock; waits of threads not looked at */
  uint64_t unknown_ns;    /* of processes that were killed or not recorded: in no other figure here;
                           * 0 where it is no more than what the ends of processes may take */
  struct amount all;      /* everything delivered; all.raw_ns stands for sampled_ns */
  struct amount profiler; /* in the runtime */
  uint64_t handlers_ns;   /* in the handlers of ticks: measured, not sampled */
  uint64_t recorder_ns;   /* of the recorder outside: in no other figure here */
  /* With waits (waits.h): lived_ns = user_ns + system_ns + ready_ns + waited_ns, of all threads. */
  uint64_t lived_ns, ready_ns, waited_ns;
  uint64_t looked_ns;          /* of lived_ns, what was looked at */
  struct amount dropped;       /* ticks that had no room: their function is not known */
  struct range hooks;          /* ns of the inline hooks, calibrated; inside the self times */
  struct range hooks_of_calls; /* the part of them that is not counters, of... */
  uint64_t hooked_calls;       /* ...so many calls */
  uint64_t calls;              /* counted calls, direct recursion included */
  bool events; /* all amounts, and sampled_ns, are of an event that the kernel counted, not time */
  /* Over single ticks, as scaled: the sum of the squares of the times they stand for; its ratio to
   * what it would be if all ticks of a row stood for the same time; and what the time before a
   * thread's first tick and after its last adds to the variance of their sum (0: no kernel_ns). */
  double squares, within, ends;
  bool measured;    /* the cycle counter was read at every transition, in all processes, or a file's
                     * figures were counted: no sampling */
  double period_ns; /* the longest, where ticks are few; 0: no process has a clock */
  double heaviest;  /* sampled by size: what one sample stands for at most; else 0 */
  bool of_peak;     /* of those, of the moment when their sum was largest */
  bool imported;    /* without samples nothing is known of time */
  bool evidence_unknown; /* the number of samples is not known, so the uncertainty is not either */
};

void books_make(const struct profile *profile, struct books *books);

/* The CPU time of a process, without that in pauses, and what its ticks say of it.
 * user_ns + system_ns = sampled_ns + kernel_ns + unsampled_ns + handlers_ns, as above.
 *
 * The kernel knows a process's CPU time to the nanosecond, but guesses how much of it was in user
 * code from what it meets at its own ticks, 4 ms apart or more. Where ours are in user code only,
 * they come oftener, and tell it better: the kernel's part is what they leave. */
struct process_time {
  uint64_t user_ns, system_ns, paused_ns, sampled_ns, kernel_ns, unsampled_ns, handlers_ns;
};

/* For a process sampled by CPU time. `raw_ns`: the time that all its ticks stand for. Where that
 * is less than chance explains, the rest is not sampled, and not shared out. */
void process_time_make(const struct profile_process *process, uint64_t raw_ns,
                       struct process_time *time);

/* Whether ticks that stand for raw_ns of time_ns are enough to assume that the missing ones would
 * be like them; and else, whether chance explains what is missing. `apart_ns`: time in the kernel,
 * known by the kernel's ticks only, that was taken off. */
bool process_time_is_covered(uint64_t raw_ns, uint64_t time_ns);
bool process_time_is_chance(const struct profile_process *process, uint64_t missing_ns,
                            uint64_t time_ns, uint64_t apart_ns);

/* What the threads of a process delivered and counted. */
struct process_sum {
  struct amount delivered;
  uint64_t calls; /* direct recursion included */
};

/* By process. The array is the caller's. */
struct process_sum *process_sums_make(const struct profile *profile);

/* What profiling cost: ticks in the runtime, with their interval, handlers, hooks. */
struct range books_profiler_ns(const struct books *books);

/* What the program is charged with: all CPU time without the profiler's. */
struct range books_charged_ns(const struct books *books);

/* What every figure is a share of: all CPU time but the handlers', sampled or not; of a unit, and
 * of waiting, what was sampled. */
uint64_t books_whole_ns(const struct books *books);

/* Nanoseconds of an amount. */
uint64_t books_ns(const struct books *books, struct amount amount);

/* 95 %: the true time lies from low_ns to high_ns, and so within ns +- uncertainty_ns. Of few ticks
 * the two ends are not equally far away. */
struct estimate {
  uint64_t ns, low_ns, high_ns;
  uint64_t uncertainty_ns; /* of the end that is further away; or UNCERTAINTY_UNKNOWN */
};
#define UNCERTAINTY_UNKNOWN UINT64_MAX
struct estimate books_estimate(const struct books *books, struct amount amount);

/* The part of a function's self time that its hooks took, if it is counted and its contexts are: as
 * its calls have it. Both 0: nothing is known to be. */
struct range books_hooks_of(const struct books *books, uint64_t calls, struct estimate self);

/* How much time the kernel had: kernel_ns with its interval. */
struct estimate books_kernel_estimate(const struct books *books);

/* The 95 % score interval of a share: the true shares s from which the one that was seen is no
 * further than 1.96 deviations away, with a variance of s (1 - s) / n + s^2 whole.  Without `whole`
 * it is Wilson's; with 1 / n, where nobody knows of how many they are a part, Poisson's.  n = 0:
 * all shares. */
struct interval {
  double low, high;
};
struct interval share_interval(double share, double n, double whole);

#endif
