/* The cycle counter as the clock: read at every change of context by code that was compiled for it
 * (ascribe cc --clock=tsc).  Source: Spivey, "Tracking the execution context". */
#ifndef ASCRIBE_RUNTIME_CYCLE_COUNTER_H
#define ASCRIBE_RUNTIME_CYCLE_COUNTER_H

#include <stdbool.h>

/* Use it from now on, with its frequency and the cost of one read in the header. False: the linked
 * code does not read it, or the counter of this machine does not run evenly. */
bool cycles_start(void);

#endif
