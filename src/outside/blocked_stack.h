/* The stack of a thread that waits, read in the process itself while it stays where it is.
 *
 * The kernel tells the stack pointer and where the program waits, and no other register: a signal
 * or a debugger's stop, which would show them, ends some system calls.  Callers that keep their
 * frame in rbp are found where a function further in has saved it, or by what their first
 * instructions do to the stack pointer. */
#ifndef ASCRIBE_OUTSIDE_BLOCKED_STACK_H
#define ASCRIBE_OUTSIDE_BLOCKED_STACK_H

#include <stdbool.h>
#include <sys/types.h>

#include "outside/sampled_stack.h"

/* Where it waits. */
struct blocked {
  uint64_t sp, pc;
  bool in_call;       /* of the system, else the kernel has stopped it where it was */
  uint64_t kernel_pc; /* which one, as in recorded_tick.pc */
};

/* Whether a thread waits now. 1: it does; 0: it runs, or has ended; negative errno: the kernel does
 * not let us see. */
int blocked_find(pid_t process, pid_t thread, struct blocked *blocked);

/* Its stack, if it has waited there all the while: else the result means nothing. At least the
 * innermost address is told. */
void blocked_stack_find(struct sampled_stack *stack, const struct address_space *space,
                        pid_t thread, const struct blocked *blocked);

#endif
