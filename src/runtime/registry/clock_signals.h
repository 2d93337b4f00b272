/* The signals that the clocks use, which the program may use too: what handles a tick, and what the
 * program has asked for. The clocks name them (ticks/); guise/signals.c takes them from the program
 * and gives it what is its own. */
#ifndef ASCRIBE_RUNTIME_CLOCK_SIGNALS_H
#define ASCRIBE_RUNTIME_CLOCK_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define SIGNALS 65 /* numbers from 1 on */

static inline uint64_t signal_bit(int signal) {
  return 1ull << (signal - 1);
}

/* The kernel's struct sigaction, which is not libc's. */
struct kernel_action {
  void *handler;
  uint64_t flags;
  void (*restorer)(void);
  uint64_t mask;
};

/* Runs with all signals blocked, on an alternate stack: it may be a small one of the program's.
 * False: the tick is known to have come in user code, and interrupted no system call. */
typedef bool tick_handler(siginfo_t *info, void *machine);
typedef bool tick_test(const siginfo_t *info);

struct clock_signal {
  tick_handler *handler;        /* null: no clock uses the signal */
  tick_test *is_tick;           /* whether one is a tick */
  struct kernel_action program; /* what the program asked for */
};
extern __attribute__((visibility("hidden"))) struct clock_signal clock_signals[SIGNALS];

/* Bits of those that a clock uses; 0 before one is installed. */
uint64_t clock_signals_used(void);

/* Bits of those that the program ignores, as it has asked; and of those that it handles. */
uint64_t clock_signals_ignored(void);
uint64_t clock_signals_handled(void);

/* Whether a delivered signal is a tick. Signal-safe. */
bool clock_signals_is_tick(const siginfo_t *info);

/* `signal` is a clock's from now on. False if the kernel refuses. Does nothing the second time. */
bool clock_signals_install(int signal, tick_handler *handler, tick_test *is_tick);

/* Ticks are ignored, or at least blocked in the calling thread; and are not, again. */
void clock_signals_shut_out(void);
void clock_signals_let_in(void);

/* What does these three with the kernel. Once, before the first clock starts. */
struct clock_signal_keeper {
  bool (*install)(int signal); /* the program's is in `clock_signals` already */
  void (*shut_out)(void);
  void (*let_in)(void);
};
void clock_signals_register(const struct clock_signal_keeper *keeper);

#endif
