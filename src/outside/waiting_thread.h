/* A thread that is looked at now and then, for when it waits.
 *
 * How long it has run and waited for a processor the kernel counts (/proc/PID/task/TID/schedstat),
 * so how long it has waited for anything else is known exactly; where it did so, looks tell. */
#ifndef ASCRIBE_OUTSIDE_WAITING_THREAD_H
#define ASCRIBE_OUTSIDE_WAITING_THREAD_H

#include "base/error.h"
#include "outside/look_rate.h"
#include "outside/process_image.h"

/* Nanoseconds, or times. */
struct schedule {
  uint64_t ran, ready; /* on a processor; runnable, but without one */
  uint64_t turns;      /* on a processor */
};

struct waiting_thread {
  uint32_t tid;
  uint32_t recorded_tid; /* as it knows itself */
  uint32_t thread;       /* of the image */
  int statistics;        /* descriptor; -1: it has ended */
  struct schedule schedule;
  uint64_t began_ns;      /* CLOCK_MONOTONIC: its recording did; 0: not known */
  uint64_t looked_ns;     /* CLOCK_MONOTONIC: the last look; 0: none yet */
  uint64_t due_ns;        /* the next */
  uint64_t code;          /* generation of the image's code when its stack was walked last */
  bool waits;             /* it did, at the last look... */
  bool was_refused;       /* at the last look */
  struct tick_entry tick; /* ...and there */
};

/* What all looks found. */
struct wait_sums {
  uint64_t looked_ns; /* between looks, of all threads together */
  uint64_t ran_ns, ready_ns;
  int refused; /* errno: the kernel does not let us see where threads wait; or 0 */
};

/* Threads of one image, by number. */
struct waiting_threads {
  struct waiting_thread *list;
  size_t count;
};

/* Whether this kernel counts what struct schedule says. 0, or -1 (error set). */
int waiting_thread_countable(struct error *error);

/* The thread of that number, which has not begun yet where it was asked for first.  Null when there
 * are too many contexts. */
struct waiting_thread *waiting_threads_at(struct waiting_threads *threads,
                                          struct process_image *image, size_t number);

/* Begin with a thread of the process that runs `image`. False: it has ended. */
bool waiting_thread_open(struct waiting_thread *waiting, struct process_image *image, uint32_t tid);
void waiting_thread_close(struct waiting_thread *waiting);

/* Look at it; what it waited since the last look is charged to where it waits now, as far as this
 * look stands for it, and says when it is due again.  `counts`: false in a pause, when looks are
 * only to see what happens from now on.  Closes it if it has ended. */
void waiting_thread_look(struct waiting_thread *waiting, struct process_image *image,
                         struct sampled_stack *stack, struct look_rate *rate, bool counts,
                         struct wait_sums *sums);

#endif
