#include "runtime/registry/clock_signals.h"

#include "runtime/registry/system.h"

struct clock_signal clock_signals[SIGNALS];

static uint64_t used;
static const struct clock_signal_keeper *keeper;

void clock_signals_register(const struct clock_signal_keeper *whose) {
  keeper = whose;
}

uint64_t clock_signals_used(void) {
  return used;
}

static uint64_t used_with(const void *handler) {
  uint64_t found = 0;
  for (uint64_t left = used; left; left &= left - 1) {
    int signal = 1 + __builtin_ctzll(left);
    if (clock_signals[signal].program.handler == handler) found |= signal_bit(signal);
  }
  return found;
}

uint64_t clock_signals_ignored(void) {
  return used_with((void *)SIG_IGN);
}

uint64_t clock_signals_handled(void) {
  return used & ~used_with((void *)SIG_IGN) & ~used_with((void *)SIG_DFL);
}

bool clock_signals_is_tick(const siginfo_t *info) {
  const struct clock_signal *of = &clock_signals[info->si_signo];
  return of->handler && of->is_tick(info);
}

bool clock_signals_install(int signal, tick_handler *handler, tick_test *is_tick) {
  struct kernel_action before;
  if (clock_signals[signal].handler) return true;
  if (system_failed(system_call4(SYS_rt_sigaction, signal, 0, (long)&before, 8))) return false;
  clock_signals[signal] = (struct clock_signal){handler, is_tick, before};
  used |= signal_bit(signal);
  return keeper->install(signal);
}

void clock_signals_shut_out(void) {
  keeper->shut_out();
}

void clock_signals_let_in(void) {
  keeper->let_in();
}
