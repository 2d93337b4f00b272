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

/* For sigaltstack itself (guise/sigaltstack.c): the one that we have for a thread; the one that the
 * calling thread is told of where the kernel has `stack`; the kernel has got `ours`, or, if null,
 * the one that the program asked for, which is `asked` where ours stands for it; the first of all
 * threads has chosen one. */
stack_t alternate_stack_of(struct thread_state *thread);
void alternate_stack_show(stack_t *stack);
void alternate_stack_took(const stack_t *ours, const stack_t *asked);
bool alternate_stack_choose(void);

/* Whether the calling thread did, where the kernel says that it has `stack`. */
bool alternate_stack_is_chosen_here(const stack_t *stack);

#endif
