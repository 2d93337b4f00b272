/* Whether this process records. A forked child, made by whatever call, that has not begun to
 * begins now. Any thread, signal-safe. */
#ifndef ASCRIBE_RUNTIME_PROCESS_H
#define ASCRIBE_RUNTIME_PROCESS_H

#include <stdbool.h>

bool process_is_recording(void);

/* The process is about to end without its exit handlers. Any thread, signal-safe; does nothing in a
 * child that shares the memory of its parent. */
void process_note_end(void);

#endif
