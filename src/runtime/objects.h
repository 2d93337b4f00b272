/* The object files mapped into the process, as the recording lists them. */
#ifndef ASCRIBE_RUNTIME_OBJECTS_H
#define ASCRIBE_RUNTIME_OBJECTS_H

#include <stdint.h>

/* Read /proc/self/maps: add what is new, mark what has gone and retire its functions and
 * transitions in all threads. Signal-safe; if another thread is at it, does nothing. */
void objects_refresh(void);

/* A tick fell on `pc`: refresh if no known object holds it (but seldom: JIT code is in none). */
void objects_see(uint64_t pc);

/* In a forked child: list them again in its own recording. */
void objects_start_child(void);

#endif
