/* What the kernel is to know of the program's signals when another program is executed: it takes
 * over what is blocked and what is ignored, of which the runtime has kept the kernel in ignorance
 * for the signals of the clocks (signals.h, signal_masks.h). */
#ifndef ASCRIBE_RUNTIME_HAND_OVER_H
#define ASCRIBE_RUNTIME_HAND_OVER_H

#include <stdbool.h>
#include <stdint.h>

struct handed_over {
  bool replaced;             /* the program is about to become the other one itself */
  uint64_t blocked, ignored; /* bits of signals */
};

/* Before the call that executes, in the thread that calls: in a child, or as `replaced`.  A tick in
 * the kernel while it replaces the program would end the new one. Signal-safe. */
void hand_over(struct handed_over *handed, bool replaced);

/* Whether it is called where the program replaces itself: not in static programs, whose calls
 * nobody sees. */
bool hand_over_is_called(void);

/* After it, where this program goes on. Keeps errno. */
void hand_over_undo(const struct handed_over *handed);

#endif
