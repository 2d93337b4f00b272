/* Who was recorded: processes, their threads, and the runs of a merged profile. */
#ifndef ASCRIBE_PROFILE_RUNS_H
#define ASCRIBE_PROFILE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/tick_rows.h"
#include "recording/reader.h"

/* What a process allocated, with stack or without. */
struct profile_heap {
  bool recorded;
  uint64_t mean; /* bytes from one sample to the next on average; 0: all allocations are known */
  uint64_t allocations, allocated, frees, freed; /* blocks, bytes; live = allocated - freed */
  uint64_t unknown_frees; /* of blocks that were never seen: from before the start, or dropped */
  uint64_t early_frees;   /* of blocks from before a fork, or from a pause */
  uint64_t dropped;       /* allocations in no figure, of pools too */
  uint64_t mappings_lost; /* how often memory was mapped or unmapped, in no figure */
  uint64_t stackless;     /* allocations whose stack had no room */
  uint64_t unnamed;       /* blocks whose name had no room (ascribe_kind) */
  uint64_t peak;          /* the most that was live */
  uint64_t peak_ns;       /* when, since the process was started; 0: not known */
  uint64_t peak_within;   /* it may have been more by so many bytes; 0: it is exact */
};

struct profile_process {
  uint32_t run; /* of profile.runs; 0 where there are none */
  uint32_t pid, parent_pid;
  uint32_t sequence; /* of its recording: several images of one process follow each other */
  const char *executable, *command, *directory, *host; /* never null */
  uint32_t rank_number; /* in a parallel job: rank + 1; 0: none is known */
  uint32_t ranks;       /* of that job; 0: not known */
  const char *job;      /* its id by who launched it; null: not known */
  /* Which time-stamp counter it is that its ends of messages are by: those of equal texts are one;
   * null: not known. And how long a cycle is. */
  const char *clock;
  double cycle_ns;
  uint64_t started_ns, updated_ns; /* CLOCK_REALTIME */
  uint64_t cpu_user_ns, cpu_system_ns;
  uint64_t paused_user_ns, paused_system_ns; /* the part of them in pauses: nothing was recorded */
  uint32_t owner;                            /* user id + 1; 0: not known. Not in files */
  uint32_t end;                              /* enum process_end */
  uint32_t end_signal;                       /* PROCESS_END_SIGNAL: which; else 0 */
  bool truncated;
  uint32_t hooks;       /* enum hooks bits */
  uint32_t tick_source; /* enum tick_source */
  uint32_t tick_errno;
  uint32_t tick_flags; /* enum tick_flag bits */
  uint32_t hindrances; /* enum hindrance bits */
  uint32_t rate_hz;    /* asked */
  uint64_t period_ns;
  /* With waits (waits.h), of all threads together: from begin to end, as far as they were looked
   * at, wanting a processor, waiting for anything else. */
  uint64_t lived_ns, looked_ns, ready_ns, waited_ns;
  uint32_t unseen_errno;         /* why the kernel did not let us see where they waited, or 0 */
  uint64_t handler_ns;           /* in the handlers of ticks, which no tick can fall into */
  uint64_t threads_unsampled_ns; /* of its threads */
  uint64_t recorder_ns;          /* CPU time of another process that recorded all of them */
  uint64_t
      unknown_ns; /* of processes that were killed or not recorded, all together: in no figure */
  uint64_t increments;                /* of counters, in the program's own code */
  uint64_t hook_low_ps, hook_high_ps; /* of one inline hook, or counter: between these */
  uint64_t slow_steps, rebuilds, overflow_calls, threads_started;
  uint64_t drops[DROP_KINDS];
  struct profile_heap heap;
};

struct profile_thread {
  uint32_t process;
  uint32_t tid, owners;
  uint32_t start_function; /* or NOTHING */
  uint32_t spawned_in;     /* context, or NOTHING */
  uint64_t ticks, lost, cpu_ns;
  uint64_t unsampled_ns; /* of cpu_ns, what lacks ticks by more than chance explains */
  const char *name;      /* never null */
};

/* One of the runs that were merged: what a profile of it alone says of the whole. */
struct profile_run {
  const char *version, *command, *directory, *host, *hooks, *clock; /* never null */
  uint64_t started_ns, ended_ns;                                    /* CLOCK_REALTIME */
  uint64_t rate_hz, ticks, lost_ticks;
  uint64_t user_ns, system_ns, sampled_ns, kernel_ns, unsampled_ns, whole_ns, paused_ns;
  uint64_t charged_low_ns, charged_high_ns, hooks_low_ns, hooks_high_ns;
  uint64_t profiler_ns, handlers_ns, recorder_ns, dropped_ns; /* as in struct books */
  uint64_t calls;
  uint64_t drops[DROP_KINDS];
};

/* What a function cost in one of the runs; functions that cost nothing have none. Of very many runs
 * none are kept (merge.h). */
struct profile_run_cost {
  uint32_t run, function;
  bool total_known;
  uint64_t calls; /* direct recursion included */
  uint64_t self_ns, self_uncertainty_ns, total_ns, total_uncertainty_ns; /* as in struct estimate */
};

/* A sum of squares: high * 2^60 + low, and low is below 2^60. */
struct wide_sum {
  uint64_t high, low;
};

/* How the self amounts of a function, a line or a context vary over the runs that were merged, in
 * one metric: whole numbers, so that they add up to the same in any order. Runs that had nothing of
 * it are in none of the sums. */
struct profile_spread {
  uint32_t function, line, context; /* one of them; the others NOTHING */
  uint32_t runs;                    /* that had any of it; 0: how it varies is not known */
  uint32_t most_run;                /* that had the most, the first of several */
  uint64_t sum, least, most;        /* over those runs, in the metric's unit */
  uint64_t uncertainty;             /* the largest of a single run, 95 %; or UINT64_MAX: unknown */
  struct wide_sum squares, uncertainty_squares;
};

/* Of a function's self amounts, a sketch: how many runs had one of this size (run_spread.h). */
struct profile_spread_size {
  uint32_t function, size, runs;
};

#endif
