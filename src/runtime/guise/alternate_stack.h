/* The stack that ticks are handled on: they come at any moment, and a coroutine's own 8 KB have no
 * room for a signal's frame.  The program sees none of it. */
#ifndef ASCRIBE_RUNTIME_ALTERNATE_STACK_H
#define ASCRIBE_RUNTIME_ALTERNATE_STACK_H

#include <signal.h>
#include <stdbool.h>

#include "runtime/registry/thread_state.h"

#define ALTERNATE_STACK_BYTES 65536 /* they follow the thread state in memory */

/* For the calling thread. A stack that the program chose stays. */
void alternate_stack_give(struct thread_state *thread);

/* Call a function on the thread's own one, also while a signal is handled on one that the program
 * chose, which may be small. All signals are blocked. */
void alternate_stack_call(struct thread_state *thread, void (*function)(void *), void *argument);

/* Whether any thread of the program ever chose one: until then SA_ONSTACK means nothing to it, and
 * its handlers stay on the stack they had. */
bool alternate_stack_chosen(void);

/* Whether the calling thread did, where the kernel says that it has `stack`. */
bool alternate_stack_is_chosen_here(const stack_t *stack);

#endif
