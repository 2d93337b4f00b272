/* Where the program's signal handlers run.
 *
 * Ticks have an alternate stack in threads that chose none. For the kernel, that is the stack of
 * every handler that asks for one, and of all handlers of the clocks' signals. The program's belong
 * on the stack that the signal interrupted: they may need more room than ours has, and may switch
 * to another stack and come back later. */
#ifndef ASCRIBE_RUNTIME_SIGNAL_FRAME_H
#define ASCRIBE_RUNTIME_SIGNAL_FRAME_H

#include <signal.h>
#include <stdbool.h>

typedef void signal_handler(int signal, siginfo_t *info, void *machine);

/* In a handler that the kernel has called, with its arguments: `handler` runs in its place, on the
 * stack that it belongs to, and returns to the kernel. `on_alternate`: it asks for an alternate
 * stack. */
void signal_frame_handle(signal_handler *handler, bool on_alternate, int signal, siginfo_t *info,
                         void *machine);

#endif
