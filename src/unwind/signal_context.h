/* The registers of a ucontext_t, as the kernel puts it on the stack (struct sigcontext). */
#ifndef ASCRIBE_UNWIND_SIGNAL_CONTEXT_H
#define ASCRIBE_UNWIND_SIGNAL_CONTEXT_H

#include "unwind/frame.h"

/* From the begin of the ucontext: its first register, and two of them. */
#define SIGNAL_CONTEXT_REGISTERS 40
#define SIGNAL_CONTEXT_RSP 160
#define SIGNAL_CONTEXT_RIP 168

/* Read the frame that a signal interrupted; false where the memory does not hold it all. */
bool unwind_signal_context(struct unwind_frame *frame, const struct unwind_memory *memory,
                           uint64_t context);

#endif
