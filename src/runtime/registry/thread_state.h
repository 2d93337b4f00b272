/* What the runtime knows of one thread: its machine (contexts and transitions), its ticks.
 *
 * The owner thread alone changes it, but any of its steps may be interrupted by a signal handler
 * that runs the same code on the same state: everything here is made of steps that leave the
 * state whole (claim, fill, publish), with atomics that order the compiler, not other CPUs. */
#ifndef ASCRIBE_RUNTIME_THREAD_STATE_H
#define ASCRIBE_RUNTIME_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/layout.h"

/* Open-addressed index of the contexts this thread made, by their history. */
struct context_index {
  uint64_t *entries; /* context id | hash of its history << 32; 0: empty */
  uint64_t slots;
};

#define JUMP_RECORDS 64

/* The contexts in which setjmp filled a buffer. */
struct jump_record {
  const void *buffer;
  struct ascribe_row *row;
  uint32_t centre;
};

/* A call that was made at a site whose callee is not known yet: whoever is entered with this in the
 * cell and this frame address is the one. */
struct pending_call {
  struct ascribe_row *row; /* of the caller; null: none */
  struct ascribe_row *cell;
  uint64_t frame_least, frame_most;
  uint64_t callee; /* at a call through a pointer */
  uint32_t site;
  uint32_t unloads; /* of objects by then: later its site and its callee may be gone */
};

/* What ticks come from: CPU time (then there is one), or what --event names. */
struct thread_event {
  int descriptor;       /* of perf's, the last; see perf_event.h. -1: none yet */
  uint64_t id;          /* that it had */
  void *page;           /* where it is mapped, or set aside for that; null: neither yet */
  bool armed, held;     /* it makes ticks; it will again: perf_event_enable */
  uint32_t pages;       /* that are mapped there; the second, if any, is its log */
  uint64_t log_read;    /* so far of the log; what was read last may still be looked at */
  bool log_in_user;     /* what the log has no room for was of user code, as what it had then */
  uint64_t period;      /* as armed last; of the clock: at first only */
  uint64_t stands_for;  /* what the next tick does: `period`, but for the first, which ends a longer
                           one that began before the thread */
  bool begins;          /* no tick of it has come yet */
  uint64_t period_mean; /* of events; 0: as it begins */
  uint64_t followed_ns; /* CLOCK_MONOTONIC: when `period_mean` was set */
  uint64_t counted;     /* of this thread so far, and added to the recording's sum */
  uint64_t ticks;
  struct block_header *table; /* of its ticks */
  uint64_t entries;           /* in use there */
};

struct clock;
struct heap_thread;
struct entry_series;
struct census;

/* Who walks stacks again and again, and keeps the last one (unwind/trail.h). */
struct stack_walker {
  uint64_t *addresses; /* of the stack being walked */
  uint32_t address_room;
  struct unwind_trail *trail; /* null: none yet */
};

#define MESSAGE_WALKERS 8u /* a power of two */

struct thread_state {
  /* What enter_slow.S uses: see enter_slow.h. */
  struct recorded_thread *record;
  uint64_t slow_hits, slow_hits_limit; /* since the table was replaced; when it is to be again */
  bool paused;                         /* what is counted now is left out: see pauses.h */

  uint32_t number; /* of the thread in the recording */
  uint32_t root;
  uint32_t overflow;

  struct ascribe_gate *gate;
  struct ascribe_slot *table;
  uint64_t slots;
  uint64_t transitions;       /* in `table`, at most */
  struct ascribe_slot *aside; /* the table of pauses, in them the other one; null: no pause yet */
  uint64_t aside_slots;       /* no more than `slots` */
  int growing;                /* the table or the index is being replaced: see machine.c */

  struct block_header *contexts;  /* where new contexts go */
  struct recorded_context *spare; /* a record that was reserved and not needed, or null */
  struct context_index index;
  uint64_t context_count;

  struct block_header *rows, *sites; /* where new ones go */
  struct block_header *points;       /* and counters of a host's points */
  struct ascribe_row *root_row;
  struct ascribe_row *overflow_row; /* for calls that have no room; null: none yet */
  struct pending_call pending;

  uint64_t cycles; /* the clock at the last change of context (--clock=tsc); 0: none yet */

  struct thread_event events[EVENTS_MOST];
  const struct clock *clock; /* that makes its ticks (ticks/tick_clock.h); null: none does */
  int timer;                 /* kernel's timer id, -1: none */
  uint64_t random;
  uint64_t last_tick_ns; /* that the last tick took */
  uint64_t debt_ns;      /* CPU time that ticks took beyond their share */
  uint32_t to_pass;      /* ticks to pass over */
  uint64_t passed;       /* weight of those passed over since the last that counted */
  uint64_t update_at;    /* delivered periods after which its CPU time is looked at again */
  uint64_t cpu_base_ns;  /* the clock of its CPU time when record->cpu_ns was 0 */
  uint64_t cpu_system_base_ns;
  uint64_t ticked_ns; /* CPU timers: that clock at the last tick */
  uint64_t owed_ns;   /* time in handlers that is in the periods under way */

  uint64_t stack_low, stack_high; /* its own stack; equal: not known */
  uint64_t stack_first;           /* of the main thread: where its outermost frame is; or 0 */
  struct stack_walker walker;     /* of ticks */
  struct heap_thread *heap;       /* null: it has not allocated yet */
  struct host_stacks *host;       /* of a language host that tells them; null: none does */
  struct entry_series *entries;   /* of cost centres; null: it has entered none yet */
  struct census *census;          /* of a language host's heap; null: it took none yet */
  struct block_header *messages;  /* calls of MPI; null: it made none yet */
  uint64_t message_rows;          /* in use there */
  struct stack_walker message_walkers[MESSAGE_WALKERS]; /* of calls of MPI, by call site */
  struct block_header *message_ends;                    /* where new ones go; null: none yet */

  struct jump_record jumps[JUMP_RECORDS];

  uint64_t *counts_word;              /* the thread's (ascribe/hook.h); null: it has ended */
  struct block_header *counts;        /* its area of counters, or null */
  struct block_header *paused_counts; /* and that of pauses */

  struct thread_state *next;      /* of all */
  struct thread_state *next_free; /* of those whose thread has ended, or is gone */
  bool kept; /* its tables stay its own: one of the first, or with a clock that goes on */
  int exit_rounds;
  void *frames; /* memory of the stack of frames, for hooks that need one */
};

#endif
