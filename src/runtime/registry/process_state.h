/* Whether this process records.  A forked child, made by whatever call, that has not begun to
 * begins when somebody asks: what starts it is registered by life/process.c. */
#ifndef ASCRIBE_RUNTIME_PROCESS_STATE_H
#define ASCRIBE_RUNTIME_PROCESS_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct ascribe_cell;

/* Any thread, signal-safe. */
bool process_is_recording(void);

/* The process itself has begun to, or has given up. Signal-safe. */
void process_set_recording(bool recording);

/* Who starts the recording of a forked child: in the thread that asks, whose cell it gets, with all
 * signals blocked. Once, before the process records. */
void process_state_register(void (*start_child)(struct ascribe_cell *cell));

/* How often the program has unloaded objects so far: addresses that were kept before that may be of
 * something else now. Any thread, signal-safe. */
uint32_t process_unloads(void);
void process_note_unload(void);

#endif
