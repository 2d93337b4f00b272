#include "runtime/guise/signal_masks.h"

#include "runtime/arch/processor.h"
#include "runtime/guise/libc_name.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/ticks.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>
#include <ucontext.h>

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif
#define CALL_DEPTH 1024    /* more than libc's functions that wait use of the stack */
#define MARK 0x61736372ull /* of what was noted beside a mask */
#define NOTE 15            /* the last word of libc's type */
#define LIBC_OWN (1ull << 31 | 1ull << 32) /* 32 and 33: glibc lets nobody block them */

static __thread struct {
  uint64_t held;      /* the program believes them blocked */
  uint64_t postponed; /* of these: really blocked, since one came */
  long child;         /* a child in this memory whose mask in the kernel is what it believes */
  uint64_t wait;      /* the stack above a call that waits; 0: there is none */
  uint64_t wait_mask; /* what the kernel was given for it */
  uint64_t put_back;  /* the mask before, where the kernel could not put it back itself: */
  bool puts_back;
} masks;

static long kernel_mask(int how, const uint64_t *set, uint64_t *old) {
  return system_call4(SYS_rt_sigprocmask, how, (long)set, (long)old, 8);
}

/* The program's own call. */
static long program_mask(int how, const uint64_t *set, uint64_t *old) {
  return program_call4(SYS_rt_sigprocmask, how, (long)set, (long)old, 8);
}

/* A child in the memory of its parent, whose masks these are, gets a whole one in the kernel. */
static bool is_childs(void) {
  if (!threads_are_borrowed()) return false;
  long process = system_call3(SYS_getpid, 0, 0, 0);
  if (masks.child != process) kernel_mask(SIG_BLOCK, &masks.held, NULL);
  masks.child = process;
  return true;
}

uint64_t signal_masks_held(void) {
  return masks.held;
}
void signal_masks_inherit(uint64_t held) {
  masks.held = held;
  if (held) kernel_mask(SIG_UNBLOCK, &held, NULL);
}

void signal_masks_start(void) {
  uint64_t now, clocks = clock_signals_used();
  if (system_failed(kernel_mask(SIG_UNBLOCK, &clocks, &now))) return;
  masks.held = now & clocks;
}

uint64_t signal_masks_give(void) {
  uint64_t given = masks.held & ~masks.postponed;
  if (!given || is_childs()) return 0;
  kernel_mask(SIG_BLOCK, &given, NULL);
  return given;
}

void signal_masks_take_back(uint64_t given) {
  if (given) kernel_mask(SIG_UNBLOCK, &given, NULL);
}

void signal_masks_note(sigset_t *kept) {
  if (clock_signals_used()) kept->__val[NOTE] = MARK << 32 | masks.held;
}

void signal_masks_recall(sigset_t *kept) {
  uint64_t clocks = clock_signals_used(), noted = kept->__val[NOTE];
  if (!clocks) return;
  masks.held = noted >> 32 == MARK ? noted & clocks : 0;
  masks.postponed = 0;
  if (masks.held) kept->__val[0] &= ~masks.held;
}

void signal_masks_wait(const sigset_t *set, struct signal_wait *wait) {
  uint64_t clocks = clock_signals_used(), held = masks.held & clock_signals_handled();
  wait->entered = clocks && set && !is_childs();
  if (!wait->entered) return;
  *wait = (struct signal_wait){masks.held, masks.wait, masks.wait_mask, true};
  /* First: one that came in between would not end the wait. Only where it has a handler, for a tick
   * that comes in between ends the wait then. */
  if (held) kernel_mask(SIG_BLOCK, &held, NULL);
  masks.held = masks.postponed = set->__val[0] & clocks;
  masks.wait_mask = set->__val[0];
  masks.puts_back = false;
  masks.wait = (uint64_t)wait;
}

void signal_masks_waited(const struct signal_wait *wait) {
  if (!wait->entered) return;
  masks.wait = wait->outer;
  masks.wait_mask = wait->outer_mask;
  masks.held = wait->held;
  masks.postponed = 0;
  if (masks.puts_back) kernel_mask(SIG_SETMASK, &masks.put_back, NULL);
  masks.puts_back = false;
  if (wait->held) kernel_mask(SIG_UNBLOCK, &wait->held, NULL);
}

void signal_masks_leave_wait(void) {
  masks.wait = 0;
}

void signal_masks_ticked(void *machine) {
  ucontext_t *at = machine;
  uint64_t *mask = interrupted_mask(at);
  if (!masks.wait || system_forbids(SYS_rt_sigprocmask) || !interrupted_result_is_eintr(at) ||
      masks.wait - interrupted_stack(at) > CALL_DEPTH)
    return;
  if (!masks.puts_back) masks.put_back = *mask;
  masks.puts_back = true;
  *mask = masks.wait_mask;
}

/* A fault's: the kernel lets none be blocked. */
static bool is_forced(int signal, const siginfo_t *info) {
  return signal == SIGTRAP && info->si_code > 0 && info->si_code != TRAP_PERF;
}

/* What was sent to the process may be another thread's, or be read from a descriptor by it. */
static void send_again(int signal, siginfo_t *info, long process, long thread) {
  bool to_thread = info->si_code == SI_TKILL || info->si_code == TRAP_PERF;
  if (to_thread) {
    system_call4(SYS_rt_tgsigqueueinfo, process, thread, signal, (long)info);
    return;
  }
  /* The kernel takes its own codes from the first thread only. */
  if (info->si_code >= 0 && process != thread) info->si_code = SI_QUEUE;
  system_call3(SYS_rt_sigqueueinfo, process, signal, (long)info);
}

static void drop_tick(uint64_t signal) {
  const struct timespec at_once = {0, 0};
  siginfo_t info;
  long taken = system_call4(SYS_rt_sigtimedwait, (long)&signal, (long)&info, (long)&at_once, 8);
  if (system_failed(taken) || clock_signals_is_tick(&info)) return;
  long process = system_call3(SYS_getpid, 0, 0, 0), thread = system_call3(SYS_gettid, 0, 0, 0);
  system_call4(SYS_rt_tgsigqueueinfo, process, thread, taken, (long)&info);
}

void signal_masks_drop_ticks(uint64_t signals) {
  for (; signals; signals &= signals - 1)
    drop_tick(signals & -signals);
}

bool signal_masks_postpone(int signal, siginfo_t *info, void *machine) {
  if (!(masks.held & signal_bit(signal)) || is_forced(signal, info)) return false;
  long process = system_call3(SYS_getpid, 0, 0, 0), thread = system_call3(SYS_gettid, 0, 0, 0);
  if (!threads_are_borrowed())
    masks.postponed |= signal_bit(signal);
  else if (masks.child == process)
    return false;
  /* Our handler runs with the signal blocked, and returns to this mask. */
  *interrupted_mask(machine) |= signal_bit(signal);
  /* The kernel forgets one that is sent while another of its number is pending, be it a tick. */
  struct thread_state *self = threads_are_borrowed() ? NULL : threads_current();
  if (self) ticks_hold(self);
  drop_tick(signal_bit(signal));
  send_again(signal, info, process, thread);
  if (self) ticks_go_on(self);
  return true;
}

/* Note what the program believes, and return what to ask of the kernel instead.  Noted first: what
 * the call lets through is delivered before it returns. */
static uint64_t translate(int how, uint64_t set) {
  uint64_t wanted = set & clock_signals_used();
  if (how == SIG_UNBLOCK) {
    masks.held &= ~wanted;
    return set;
  }
  masks.held = how == SIG_BLOCK ? masks.held | wanted : wanted;
  return (set & ~wanted & ~LIBC_OWN) | (masks.held & masks.postponed);
}

static int change(int how, const uint64_t *set, uint64_t *old) {
  uint64_t held_before = masks.held, asked = 0;
  if ((held_before || (set && *set & clock_signals_used())) && is_childs()) {
    if (set) asked = *set & ~LIBC_OWN;
    return (int)-program_mask(how, set ? &asked : NULL, old);
  }
  if (set) asked = translate(how, *set);
  long status = program_mask(how, set ? &asked : NULL, old);
  if (system_failed(status)) {
    masks.held = held_before;
    return (int)-status;
  }
  if (old) *old |= held_before;
  masks.postponed &= masks.held;
  return 0;
}

LIBC_NAME int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  uint64_t before;
  int status = change(how, (const uint64_t *)set, old ? &before : NULL);
  if (status || !old) return status;
  for (unsigned i = 1; i < sizeof old->__val / sizeof old->__val[0]; i++)
    old->__val[i] = 0;
  old->__val[0] = before;
  return 0;
}
OWN_NAME(pthread_sigmask);

LIBC_NAME int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old) {
  int status = own_pthread_sigmask(how, set, old);
  if (!status) return 0;
  errno = status;
  return -1;
}
OWN_NAME(sigprocmask);
