/* Whether this process records. A forked child, made by whatever call, that has not begun to
 * begins now. Any thread, signal-safe. */
#ifndef ASCRIBE_RUNTIME_PROCESS_H
#define ASCRIBE_RUNTIME_PROCESS_H

#include <stdbool.h>

bool process_is_recording(void);

#endif
