/* The older calls for signals, which libc makes of its own sigaction and sigprocmask: made of the
 * runtime's, so that a program that uses them on the clocks' signals does not reach the kernel's.
 *
 * BSD: masks of 32 bits; sigblock, sigsetmask, siggetmask.
 * System V: sigset, sighold, sigrelse, sigignore.
 * sigpause waits (interpose_waits.c). */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "runtime/guise/libc_name.h"
#include "runtime/guise/signal_masks.h"
#include "runtime/guise/signals.h"
#include "runtime/registry/clock_signals.h"

#define HOLD ((handler_function *)2) /* SIG_HOLD, which is not in C11's <signal.h> */

/* ---- other names for signal() ---- */

typedef void handler_function(int);

LIBC_NAME handler_function *bsd_signal(int number, handler_function *handler);
handler_function *bsd_signal(int number, handler_function *handler) {
  return own_signal(number, handler);
}
LIBC_NAME handler_function *ssignal(int number, handler_function *handler) {
  return own_signal(number, handler);
}
LIBC_NAME handler_function *sysv_signal(int number, handler_function *handler) {
  return own___sysv_signal(number, handler);
}

/* ---- masks ---- */

static sigset_t set_of(uint64_t bits) {
  return (sigset_t){.__val = {bits}};
}

/* Also says whether there is such a signal. */
static bool is_signal(int number) {
  if (number > 0 && number < 65) return true;
  errno = EINVAL;
  return false;
}

static int change(int how, unsigned mask) {
  sigset_t set = set_of(mask), old;
  return own_sigprocmask(how, &set, &old) ? -1 : (int)old.__val[0];
}

LIBC_NAME int sigblock(int mask) {
  return change(SIG_BLOCK, (unsigned)mask);
}
LIBC_NAME int sigsetmask(int mask) {
  return change(SIG_SETMASK, (unsigned)mask);
}
LIBC_NAME int siggetmask(void) {
  return change(SIG_BLOCK, 0);
}

LIBC_NAME int sighold(int number) {
  if (!is_signal(number)) return -1;
  sigset_t set = set_of(signal_bit(number));
  return own_sigprocmask(SIG_BLOCK, &set, NULL);
}

LIBC_NAME int sigrelse(int number) {
  if (!is_signal(number)) return -1;
  sigset_t set = set_of(signal_bit(number));
  return own_sigprocmask(SIG_UNBLOCK, &set, NULL);
}

LIBC_NAME int sigignore(int number) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  return own_sigaction(number, &action, NULL);
}

LIBC_NAME handler_function *sigset(int number, handler_function *handler) {
  struct sigaction action = {.sa_handler = handler}, old;
  bool holds = handler == HOLD;
  if (handler == SIG_ERR) errno = EINVAL;
  if (handler == SIG_ERR || !is_signal(number)) return SIG_ERR;
  if (own_sigaction(number, holds ? NULL : &action, &old)) return SIG_ERR;
  sigset_t set = set_of(signal_bit(number)), before;
  if (own_sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &set, &before)) return SIG_ERR;
  return before.__val[0] & signal_bit(number) ? HOLD : old.sa_handler;
}
