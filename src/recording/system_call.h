/* Which system call the kernel was asked for.
 *
 * When a tick falls into the kernel, the register that held the number is already overwritten.  But
 * nearly all code loads it right before the `syscall` instruction.  Calls nothing; signal-safe. */
#ifndef ASCRIBE_RECORDING_SYSTEM_CALL_H
#define ASCRIBE_RECORDING_SYSTEM_CALL_H

#include <stdbool.h>

#include "recording/layout.h"

enum { SYSTEM_CALL_BYTES = 11 }; /* of code that are looked at */

/* As in recorded_tick.pc, for a thread that will go on at `end`, before which there are `bytes`
 * bytes of code: PC_INTERRUPT if they do not end in `syscall`, PC_SYSTEM_CALL if the number is not
 * known. */
uint64_t system_call_pc(const uint8_t *end, uint64_t bytes);

/* Whether recorded_tick.pc says that it was in the kernel. */
static inline bool pc_is_in_kernel(uint64_t pc) {
  return pc == PC_SYSTEM_CALL || pc == PC_INTERRUPT ||
         (pc >= PC_NUMBERED_CALL && pc < PC_NUMBERED_CALL + SYSTEM_CALLS_MOST);
}

#endif
