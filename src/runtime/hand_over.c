#include "runtime/hand_over.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "runtime/signal_masks.h"
#include "runtime/signals.h"
#include "runtime/system.h"
#include "runtime/threads.h"
#include "runtime/ticks.h"

/* A thread of this process: a child in its memory has no ticks. */
static struct thread_state *ticking_thread(void) {
  return threads_are_borrowed() ? NULL : threads_current();
}

/* A tick that is pending would be the next program's. */
static void drop_pending_tick(uint64_t signals) {
  const struct timespec at_once = {0, 0};
  siginfo_t info;
  long taken = system_call4(SYS_rt_sigtimedwait, (long)&signals, (long)&info, (long)&at_once, 8);
  if (system_failed(taken) || tick_is_ours(&info)) return;
  long process = system_call3(SYS_getpid, 0, 0, 0), thread = system_call3(SYS_gettid, 0, 0, 0);
  system_call4(SYS_rt_tgsigqueueinfo, process, thread, taken, (long)&info);
}

static bool is_nothing(const struct handed_over *handed) {
  return !handed->replaced && !handed->blocked && !handed->ignored;
}

void hand_over(struct handed_over *handed, bool replaced) {
  *handed = (struct handed_over){replaced, signal_masks_held(), signals_ignored()};
  if (is_nothing(handed)) return;
  struct thread_state *thread = ticking_thread();
  if (thread) ticks_hold(thread);
  handed->ignored = signals_ignore();
  handed->blocked = signal_masks_give();
  if (thread && handed->blocked) drop_pending_tick(handed->blocked);
}

void hand_over_undo(const struct handed_over *handed) {
  if (is_nothing(handed)) return;
  struct thread_state *thread = ticking_thread();
  signals_take_back(handed->ignored);
  signal_masks_take_back(handed->blocked);
  if (thread) ticks_go_on(thread);
}
