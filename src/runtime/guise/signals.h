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

/* Runs with all signals blocked, on an alternate stack: it may be a small one of the program's.
 * False: the tick is known to have come in user code, and interrupted no system call. */
typedef bool tick_handler(siginfo_t *info, void *machine);

/* `signal` is SIGTRAP or SIGPROF. False if the kernel refuses. Does nothing the second time. */
bool signals_install(int signal, tick_handler *handler);

/* The sigaction that the dynamic linker finds after ours, which may be a sanitizer's; null in
 * static programs. Set before the program runs. */
extern __attribute__((visibility("hidden"))) int (*signals_next_sigaction)(int,
                                                                           const struct sigaction *,
                                                                           struct sigaction *);

/* Bits of the signals the clocks use; 0 before they are installed. */
uint64_t signals_clocks(void);

/* Bits of the clocks' signals that the program ignores, as it has asked; and of those that it has a
 * handler for. */
uint64_t signals_ignored(void);
uint64_t signals_handled(void);

/* Really ignore them, for a program that takes that over; returns the bits, for
 * signals_take_back. Ticks that come meanwhile are lost. */
uint64_t signals_ignore(void);
void signals_take_back(uint64_t ignored);

/* What a system call rt_sigaction of the program's own asks for, with the kernel's structures;
 * returns what it is to be told. */
long signals_answer_raw(int signal, const void *action, void *old);

/* Whether a handler that is not ours has a clock's signal, by a system call that was not seen. */
bool signals_are_taken(void);

/* Ticks are ignored, or at least blocked in the calling thread; and are not, again. */
void signals_shut_out(void);
void signals_let_in(void);

/* The program chose an alternate stack: its handlers that ask for one get it from now on. */
void signals_use_stack(void);

/* Whether a delivered signal is a tick (ticks.c). Signal-safe. */
bool tick_is_ours(const siginfo_t *info);

/* What the program calls by libc's names (libc_name.h). */
OWN_NAME_DECLARED(sigaction);
OWN_NAME_DECLARED(signal);
OWN_NAME_DECLARED(__sysv_signal);

#endif
