/* Sampled stacks: what the interrupted thread had called and not returned from, as a context. */
#ifndef ASCRIBE_RUNTIME_STACKS_H
#define ASCRIBE_RUNTIME_STACKS_H

#include <ucontext.h>

#include "runtime/registry/thread_state.h"

/* Stacks can be walked from now on; `by_ticks`: ticks do. False: no memory. */
bool stacks_start(bool by_ticks);
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

/* From `value`, what the frames further out have led to (0: there are none), to what this one does.
 * STACK_CUT as the address: frames could not be found. */
typedef uint32_t stacks_step(void *owner, uint32_t value, uint64_t return_address);

/* What the walker's last stack has led to is no longer so. */
void stacks_forget(struct stack_walker *walker);

/* A word of a stack that may be gone. False: it is. */
bool stacks_read(uint64_t address, uint64_t *value);

/* Where the program called: its return address, the stack pointer behind that, and rbp. */
struct stack_caller {
  uint64_t address, stack, frame;
};

/* Of the function whose frame begins there: the caller's rbp, then the return address. */
static inline struct stack_caller stack_caller_of(const uint64_t *frame) {
  return (struct stack_caller){frame[1], (uint64_t)(frame + 2), frame[0]};
}

/* What the steps from the outermost frame to the innermost lead to. Those of the walker's last
 * stack are taken once. Any moment; not reentrant for one walker. A handler may jump out of it. */
uint32_t stacks_lead(struct stack_walker *walker, const struct thread_state *thread,
                     const struct stack_caller *caller, stacks_step *step, void *owner);

#endif
