/* What a thread calls of MPI, and what it sends and receives, by call site and partner. */
#ifndef ASCRIBE_RUNTIME_MESSAGE_ROWS_H
#define ASCRIBE_RUNTIME_MESSAGE_ROWS_H

#include "runtime/registry/thread_state.h"

/* Add the sums of `more` to the row of its site, call and peer. What has no room is added to a row
 * of the call without a site, or counted as dropped. In a pause nothing is. Owner thread; not for
 * signal handlers. */
void message_rows_add(struct thread_state *thread, const struct recorded_message *more);

#endif
