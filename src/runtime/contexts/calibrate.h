/* What one inline hook costs on this machine, now: measured when the program starts and, as it may
 * not run then as it does later, again in the handlers of its ticks. The header of the recording
 * has the result (hook_low, hook_high). */
#ifndef ASCRIBE_RUNTIME_CALIBRATE_H
#define ASCRIBE_RUNTIME_CALIBRATE_H

#include <stdint.h>

/* `hooks`: of the program's own code. Takes about ten microseconds; not for signal handlers. */
void calibrate_start(uint32_t hooks);

/* Each hook takes at least so many thousandths of a cycle more, and twice as many at most. */
void calibrate_add(uint32_t millicycles);

/* Handlers of ticks, any thread: measures in one of several. Takes about a microsecond then. */
void calibrate_in_tick(void);

#endif
