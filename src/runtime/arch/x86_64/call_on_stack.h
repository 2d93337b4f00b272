/* Another stack for a while (call_on_stack.S). */
#ifndef ASCRIBE_RUNTIME_CALL_ON_STACK_H
#define ASCRIBE_RUNTIME_CALL_ON_STACK_H

/* Call the function on the stack whose upper end is `top`, a multiple of 16. */
void call_on_stack(void *top, void (*function)(void *), void *argument);

#endif
