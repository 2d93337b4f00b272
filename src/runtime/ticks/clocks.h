/* All clocks, in the order in which they are tried: NAME is `struct clock NAME_clock` of a file of
 * that name. */
#ifndef ASCRIBE_RUNTIME_CLOCKS_H
#define ASCRIBE_RUNTIME_CLOCKS_H

#include "runtime/ticks/tick_clock.h"

#define CLOCKS(CLOCK)                                                                              \
  CLOCK(tsc)   /* the cycle counter, read at every change of context */                            \
  CLOCK(host)  /* a language host's counter, as well */                                            \
  CLOCK(event) /* what --event names */                                                            \
  CLOCK(perf)  /* CPU time, by perf events */                                                      \
  CLOCK(timer) /* CPU time, by POSIX timers */

#define DECLARE_CLOCK(name)                                                                        \
  extern __attribute__((visibility("hidden"))) const struct clock name##_clock;
CLOCKS(DECLARE_CLOCK)
#undef DECLARE_CLOCK

#endif
