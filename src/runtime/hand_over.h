/* What the kernel is to know of the program's signals when another program is executed: it takes
 * over what is blocked and what is ignored, of which the runtime has kept the kernel in ignorance
 * for the signals of the clocks (signals.h, signal_masks.h). */
#ifndef ASCRIBE_RUNTIME_HAND_OVER_H
#define ASCRIBE_RUNTIME_HAND_OVER_H

#include <stdint.h>

struct handed_over {
  uint64_t blocked, ignored; /* bits of signals */
};

/* Before the call that executes, in the thread that calls. Signal-safe. */
void hand_over(struct handed_over *handed);

/* After it, where this program goes on. Keeps errno. */
void hand_over_undo(const struct handed_over *handed);

#endif
