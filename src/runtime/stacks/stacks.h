/* Sampled stacks: what the interrupted thread had called and not returned from, as a context. */
#ifndef ASCRIBE_RUNTIME_STACKS_H
#define ASCRIBE_RUNTIME_STACKS_H

#include <ucontext.h>

#include "runtime/registry/thread_state.h"

/* Ticks look at stacks from now on. False: no memory. */
bool stacks_start(void);
bool stacks_are_sampled(void);

/* The stack of the calling thread, which pthread_create made `bytes` large. What is not known to be
 * a thread's stack is read through the kernel, which is slower. */
void stacks_note_thread(struct thread_state *thread, uint64_t bytes);
/* In a forked child: of the parent's threads, the one whose stack we are on. */
void stacks_inherit(struct thread_state *thread, const struct thread_state *parents);
/* Note the main thread's stack: `top` from /proc/self/maps, `arguments` as the kernel put them. */
void stacks_note_main(struct thread_state *thread, uint64_t top, const void *arguments);

/* Make for the calling thread what its first tick would make. Not for signal handlers. */
void stacks_make_room(struct thread_state *thread);

/* The id of the context (CONTEXT_STACK) of what the interrupted thread has called; of where it was
 * interrupted, too, if that was in the kernel. Async-signal context of the thread; not reentrant.
 */
uint32_t stacks_context(struct thread_state *thread, const ucontext_t *machine, bool in_kernel);

/* The same of what the calling thread has called outside of the runtime. Not for signal handlers.
 */
uint32_t stacks_context_here(struct thread_state *thread);

#endif
