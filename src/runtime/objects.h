/* The object files mapped into the process, as the recording lists them. */
#ifndef ASCRIBE_RUNTIME_OBJECTS_H
#define ASCRIBE_RUNTIME_OBJECTS_H

#include <stdint.h>

/* Read /proc/self/maps: add what is new, mark what has gone and retire its functions and
 * transitions in all threads. If another thread is at it, waits and does it once more. Where the
 * list cannot be read, what was known stays. */
void objects_refresh(void);

/* A tick fell on `pc`: refresh if no known object holds it (but seldom: JIT code is in none) and no
 * other thread is at it. Signal-safe. */
void objects_see(uint64_t pc);

/* The end of the main thread's stack; 0: not known. */
uint64_t objects_stack_top(void);

/* In a forked child: list them again in its own recording. */
void objects_start_child(void);

#endif
