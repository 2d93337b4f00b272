/* The two signals the clocks use, shared with a program that uses them too.
 *
 * The runtime's handler is installed in the kernel; what the program asks of these signals through
 * sigaction and signal is kept here, and its handler gets every one that is not a tick. */
#ifndef ASCRIBE_RUNTIME_SIGNALS_H
#define ASCRIBE_RUNTIME_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/guise/libc_name.h"

/* From now on the clocks' signals are taken here when they are installed (clock_signals.h). */
void signals_start(void);

/* The sigaction that the dynamic linker finds after ours, which may be a sanitizer's; null in
 * static programs. Set before the program runs. */
extern __attribute__((visibility("hidden"))) int (*signals_next_sigaction)(int,
                                                                           const struct sigaction *,
                                                                           struct sigaction *);

/* Really ignore those of the clocks' signals that the program ignores, for a program that takes
 * that over; returns the bits, for signals_take_back. Ticks that come meanwhile are lost. */
uint64_t signals_ignore(void);
void signals_take_back(uint64_t ignored);

/* What a system call rt_sigaction of the program's own asks for, with the kernel's structures;
 * returns what it is to be told. */
long signals_answer_raw(int signal, const void *action, void *old);

/* Whether a handler that is not ours has a clock's signal, by a system call that was not seen. */
bool signals_are_taken(void);

/* The program chose an alternate stack: its handlers that ask for one get it from now on. */
void signals_use_stack(void);

/* What the program calls by libc's names (libc_name.h). */
OWN_NAME_DECLARED(sigaction);
OWN_NAME_DECLARED(signal);
OWN_NAME_DECLARED(__sysv_signal);

#endif
