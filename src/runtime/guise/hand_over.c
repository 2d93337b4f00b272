#include "runtime/guise/hand_over.h"

#include <stdbool.h>
#include <stddef.h>

#include "runtime/guise/signal_masks.h"
#include "runtime/guise/signals.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/ticks.h"

/* A thread of this process: a child in its memory has no ticks. */
static struct thread_state *ticking_thread(void) {
  return threads_are_borrowed() ? NULL : threads_current();
}

static bool is_nothing(const struct handed_over *handed) {
  return !handed->replaced && !handed->blocked && !handed->ignored;
}

void hand_over(struct handed_over *handed, bool replaced) {
  *handed = (struct handed_over){replaced, signal_masks_held(), clock_signals_ignored()};
  if (is_nothing(handed)) return;
  struct thread_state *thread = ticking_thread();
  if (thread) ticks_hold(thread);
  handed->ignored = signals_ignore();
  handed->blocked = signal_masks_give();
  /* A tick that is pending would be the next program's. The program may be in a handler, too, which
   * has really blocked its signal. */
  if (thread && replaced) signal_masks_drop_ticks(clock_signals_used());
}

void hand_over_undo(const struct handed_over *handed) {
  if (is_nothing(handed)) return;
  struct thread_state *thread = ticking_thread();
  signals_take_back(handed->ignored);
  signal_masks_take_back(handed->blocked);
  if (thread) ticks_go_on(thread);
}
