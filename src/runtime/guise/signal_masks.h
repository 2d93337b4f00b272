/* Signal masks of a program that is sampled.  The clocks' own signals stay deliverable whatever
 * the program blocks: else a thread that blocks every signal, as servers' workers do, would have
 * no ticks, and one that was pending at an exec would end the next program.  What the program
 * believes is kept here, per thread, and shown to it when it asks. */
#ifndef ASCRIBE_RUNTIME_SIGNAL_MASKS_H
#define ASCRIBE_RUNTIME_SIGNAL_MASKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/guise/libc_name.h"

/* Clock signals that this thread of the program believes to be blocked; a new thread, which begins
 * with them really blocked, takes over its maker's. */
uint64_t signal_masks_held(void);
void signal_masks_inherit(uint64_t held);

/* At the start of the process, after the clocks': what its starter had blocked. */
void signal_masks_start(void);

/* Really block what this thread believes to be blocked and is not, for a program or a thread that
 * takes its mask over; returns those bits, for signal_masks_take_back. Before a program no tick may
 * be due. */
uint64_t signal_masks_give(void);
void signal_masks_take_back(uint64_t given);

/* Where libc keeps a thread's mask, to put it back: note beside it what the program believes of it,
 * and recall that before it is put back.  What else is blocked there will really be: the program
 * may have asked for it, or is in the signal's handler, whose end lets it in again.  libc's type
 * has room for a thousand signals, of which the kernel knows 64. */
void signal_masks_note(sigset_t *kept);
void signal_masks_recall(sigset_t *kept);

/* Around a call that waits with another mask (null: with none), which is made from where `wait`
 * stands. */
struct signal_wait {
  uint64_t held;              /* before */
  uint64_t outer, outer_mask; /* a wait in whose handler this one is */
  bool entered;
};
void signal_masks_wait(const sigset_t *set, struct signal_wait *wait);
void signal_masks_waited(const struct signal_wait *wait);

/* The thread jumps, perhaps out of a handler that ran in a wait. */
void signal_masks_leave_wait(void);

/* At the end of a tick. A signal that ends a wait finds a tick due: the kernel delivers that first,
 * and after its handler, which lets no other signal in, the mask of before the wait.  The program
 * would go on without its signal: so the wait's mask holds on for it, up to signal_masks_waited. */
void signal_masks_ticked(void *machine);

/* Of `signals`: forget a tick that is pending, as each may be that is blocked. Signal-safe. */
void signal_masks_drop_ticks(uint64_t signals);

/* In the handler of a signal that is not a tick: if the program believes it blocked, make it
 * pending and really blocked, and return true.  `machine` is the handler's third argument. */
bool signal_masks_postpone(int signal, siginfo_t *info, void *machine);

/* What the program calls by libc's name (libc_name.h). */
OWN_NAME_DECLARED(sigprocmask);

#endif
