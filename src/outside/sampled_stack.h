/* The stack of a tick, found in the bytes that the kernel has copied with it.
 *
 * Nothing else of the process is read: it runs on meanwhile, and its memory is another one by now.
 * Frames further out than the copy are not known: the stack is cut. */
#ifndef ASCRIBE_OUTSIDE_SAMPLED_STACK_H
#define ASCRIBE_OUTSIDE_SAMPLED_STACK_H

#include "outside/address_space.h"

enum { SAMPLED_FRAMES_MOST = 8192 + 64 }; /* that 64 KB hold, each with its return address */

struct sampled_stack {
  struct unwind_cache cache;
  uint64_t addresses[SAMPLED_FRAMES_MOST]; /* innermost first, as unwind_walk tells them */
  uint32_t depth;
  bool complete;      /* the outermost frame is among them */
  uint64_t kernel_pc; /* of a tick in the kernel: PC_INTERRUPT, PC_SYSTEM_CALL... */
};

/* The caller's, to be freed with sampled_stack_free. */
struct sampled_stack *sampled_stack_new(void);
void sampled_stack_free(struct sampled_stack *stack);

/* Find the stack of a sample with a frame. At least the innermost address is told. */
void sampled_stack_find(struct sampled_stack *stack, const struct address_space *space,
                        const struct kernel_sample *sample);

/* The first byte of the function that the thread was started with: of a complete stack, the
 * outermost one in another object than the outermost of all, which is the thread library's.  0
 * where that is not known. */
uint64_t sampled_stack_start(const struct sampled_stack *stack, const struct address_space *space);

#endif
