/* When a process's messages began and ended, up to a bound. */
#ifndef ASCRIBE_RUNTIME_MESSAGE_ENDS_H
#define ASCRIBE_RUNTIME_MESSAGE_ENDS_H

#include "runtime/registry/thread_state.h"

/* Room for one more, zeros but for END_PAUSED in `flags`: the caller fills it, and sets `posted`
 * last, with release. It stays where it is while the process runs. Null: none is recorded any more.
 * `now`: the time-stamp counter when its call began. Owner thread; not for signal handlers. */
struct recorded_message_end *message_ends_add(struct thread_state *thread, uint64_t now);

/* Some end is missing: none that is posted from `now` on is recorded. Any thread. */
void message_ends_close(uint64_t now);

/* In a forked child, whose recording is another. */
void message_ends_start_child(void);

#endif
