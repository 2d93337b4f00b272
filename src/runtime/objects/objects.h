/* The object files mapped into the process, as the recording lists them. */
#ifndef ASCRIBE_RUNTIME_OBJECTS_H
#define ASCRIBE_RUNTIME_OBJECTS_H

#include <stdint.h>

struct recorded_object;

/* Read /proc/self/maps: add what is new, mark what has gone and retire its functions and
 * transitions in all threads. If another thread is at it, waits and does it once more. Where the
 * list cannot be read, what was known stays. */
void objects_refresh(void);

/* A tick fell on `pc`, or on something that it called. Refresh if an object was unloaded since the
 * last time, or if no known object holds it: that the less often, the more often in vain, for JIT
 * code is in none. Returns header.epoch when the object that holds it was seen first, or 0.
 * Signal-safe; all signals are blocked. */
uint32_t objects_see(uint64_t pc);

/* The object that holds an address, as it was listed last, or null. */
const struct recorded_object *objects_at(uint64_t address);

/* The program is about to load a library. Any thread, no lock. */
void objects_expect_load(void);

/* `gone` is told of the code of an object that is no longer there, before its functions retire:
 * [start, end). Once, at the start. */
void objects_when_gone(void (*gone)(uint64_t start, uint64_t end));

/* The end of the main thread's stack; 0: not known. */
uint64_t objects_stack_top(void);

/* In a forked child: list them again in its own recording. */
void objects_start_child(void);

#endif
