/* What a thread calls of MPI, and what it sends and receives, by call site, context and partner. */
#ifndef ASCRIBE_RUNTIME_MESSAGE_ROWS_H
#define ASCRIBE_RUNTIME_MESSAGE_ROWS_H

#include "runtime/stacks/stacks.h"

/* The id of the context (CONTEXT_STACK) that the program calls from; 0: in a pause. stacks_start
 * has succeeded. Owner thread; not for signal handlers. */
uint32_t message_rows_context(struct thread_state *thread, const struct stack_caller *caller);

/* Add the sums of `more` to the row of its site, context, centre, call and peer. What has no room
 * is added to a row of the call without a site, or counted as dropped. In a pause nothing is. Owner
 * thread; not for signal handlers. */
void message_rows_add(struct thread_state *thread, const struct recorded_message *more);

#endif
