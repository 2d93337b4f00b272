/* Which system call the kernel was asked for.
 *
 * perf's copy of the registers does not say: by then the kernel has overwritten the one that had
 * the number.  But nearly all code loads it right before the `syscall` instruction. */
#ifndef ASCRIBE_OUTSIDE_SYSTEM_CALL_H
#define ASCRIBE_OUTSIDE_SYSTEM_CALL_H

#include "recording/reader.h"

enum { SYSTEM_CALL_BYTES = 11 }; /* of code that are looked at */

/* As in tick_entry.pc, for a thread that will go on at `end`, before which there are `bytes` bytes
 * of code: PC_INTERRUPT if they end in no `syscall`, PC_SYSTEM_CALL if the number is not known. */
uint64_t system_call_pc(const uint8_t *end, uint64_t bytes);

#endif
