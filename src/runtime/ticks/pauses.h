/* Pauses, in which no ticks are taken and no calls counted: before --delay has passed, after
 * --duration, between `ascribe stop` and `ascribe start`, and where the program itself asks for it.
 *
 * Nobody sends a signal: the control file of the recording is memory that each tick looks at.  In a
 * pause ticks come at a low rate, only to see its end. */
#ifndef ASCRIBE_RUNTIME_PAUSES_H
#define ASCRIBE_RUNTIME_PAUSES_H

#include <stdbool.h>
#include <stdint.h>

/* Map the control file in the recording's directory; it is made where there is none, and then
 * `stopped` says how. Without one that is private there are no pauses. Not for handlers. */
void pauses_open(bool stopped);

/* The recording of this process, or of the forked child that it is, begins. */
void pauses_start(void);

/* The program asks for a pause, or no longer; its forked children inherit that.  False: it has
 * asked for the same before. The next look sees it. Signal-safe. */
bool pauses_by_program(bool asked);

enum pause_state {
  PAUSE_NONE,
  PAUSE_ON,
  PAUSE_ENDED /* just now: for one thread only */
};

/* What is now; the first thread to see a pause begin or end accounts for it. Signal-safe. */
enum pause_state pauses_look(void);

/* Whether the last look found a pause. */
bool pauses_on(void);

/* Time to the next look, in a pause. */
uint64_t pauses_period_ns(void);

#endif
