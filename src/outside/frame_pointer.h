/* The frame pointer of a function, found without having its register: its first instructions say
 * how far below it the stack pointer lies. */
#ifndef ASCRIBE_OUTSIDE_FRAME_POINTER_H
#define ASCRIBE_OUTSIDE_FRAME_POINTER_H

#include "outside/address_space.h"

/* Set rbp of a frame in which it is not known.  False: the function does not begin by making one,
 * or has moved its stack pointer since, as functions with arrays of variable length do: then what
 * would be its return address is none.  Within file_fault_guard. */
bool frame_pointer_find(struct unwind_frame *frame, const struct address_space *space,
                        const struct unwind_memory *memory);

#endif
