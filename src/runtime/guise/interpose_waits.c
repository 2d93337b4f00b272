/* Calls that wait for a signal: a program that blocks every signal and waits for any would be
 * handed our ticks.  They are passed over; the wait goes on.
 *
 * Calls that wait with another mask: it is what the program believes while they do. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include "runtime/guise/libc_name.h"
#include "runtime/guise/next_function.h"
#include "runtime/guise/signal_masks.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/system.h"

#define SECOND 1000000000ull

enum waiting { SIGTIMEDWAIT, SIGSUSPEND, PPOLL, PPOLL_CHECKED, PSELECT, EPOLL, EPOLL_2 };
static struct next_function waits[] = {
    [SIGTIMEDWAIT] = {"sigtimedwait", NULL},
    [SIGSUSPEND] = {"sigsuspend", NULL},
    [PPOLL] = {"ppoll", NULL},
    [PPOLL_CHECKED] = {"__ppoll_chk", NULL},
    [PSELECT] = {"pselect", NULL},
    [EPOLL] = {"epoll_pwait", NULL},
    [EPOLL_2] = {"epoll_pwait2", NULL},
};
NEXT_FUNCTIONS_FOUND_EARLY(waits);

typedef int wait_function(const sigset_t *, siginfo_t *, const struct timespec *);

/* `timeout` null: for ever. Returns as sigtimedwait does. */
static int wait_for_other(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
  wait_function *wait = (wait_function *)next_function(&waits[SIGTIMEDWAIT]);
  siginfo_t unasked;
  if (!info) info = &unasked;
  uint64_t end = 0;
  if (clock_signals_used() && timeout && timeout->tv_sec >= 0 && timeout->tv_sec < (1l << 30))
    end = system_clock(CLOCK_MONOTONIC) + (uint64_t)timeout->tv_sec * SECOND +
          (uint64_t)timeout->tv_nsec;
  struct timespec left;
  int number;
  while ((number = wait(set, info, timeout)) > 0 && clock_signals_is_tick(info)) {
    if (!end) continue;
    uint64_t now = system_clock(CLOCK_MONOTONIC), rest = now < end ? end - now : 0;
    left = (struct timespec){(time_t)(rest / SECOND), (long)(rest % SECOND)};
    timeout = &left;
  }
  return number;
}

LIBC_NAME int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                           const struct timespec *restrict timeout) {
  return wait_for_other(set, info, timeout);
}

LIBC_NAME int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info) {
  return wait_for_other(set, info, NULL);
}

LIBC_NAME int sigwait(const sigset_t *restrict set, int *restrict number) {
  int taken;
  while ((taken = wait_for_other(set, NULL, NULL)) < 0 && errno == EINTR)
    ;
  if (taken < 0) return errno;
  *number = taken;
  return 0;
}

/* ---- with another mask ---- */

#define WITH_MASK(set, which, type, arguments)                                                     \
  struct signal_wait wait;                                                                         \
  signal_masks_wait(set, &wait);                                                                   \
  int status = ((type *)next_function(&waits[which]))arguments;                                    \
  signal_masks_waited(&wait);                                                                      \
  return status

typedef int suspend_function(const sigset_t *);
typedef int poll_function(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
typedef int checked_poll_function(struct pollfd *, nfds_t, const struct timespec *,
                                  const sigset_t *, size_t);
typedef int select_function(int, fd_set *, fd_set *, fd_set *, const struct timespec *,
                            const sigset_t *);
typedef int epoll_function(int, struct epoll_event *, int, int, const sigset_t *);
typedef int epoll_function_2(int, struct epoll_event *, int, const struct timespec *,
                             const sigset_t *);

LIBC_NAME int sigsuspend(const sigset_t *set) {
  WITH_MASK(set, SIGSUSPEND, suspend_function, (set));
}
OWN_NAME(sigsuspend);

/* BSD's */
LIBC_NAME int ascribe_sigpause_mask(int mask) __asm__("sigpause");
int ascribe_sigpause_mask(int mask) {
  sigset_t set = {.__val = {(unsigned)mask}};
  return own_sigsuspend(&set);
}
/* X/Open's */
LIBC_NAME int ascribe_sigpause(int number) __asm__("__xpg_sigpause");
int ascribe_sigpause(int number) {
  sigset_t set;
  if (number <= 0 || number >= 65) {
    errno = EINVAL;
    return -1;
  }
  if (own_sigprocmask(SIG_BLOCK, NULL, &set)) return -1;
  set.__val[0] &= ~signal_bit(number);
  return own_sigsuspend(&set);
}

LIBC_NAME int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                    const sigset_t *set) {
  WITH_MASK(set, PPOLL, poll_function, (files, count, timeout, set));
}
LIBC_NAME int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                          const sigset_t *set, size_t bytes);
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                const sigset_t *set, size_t bytes) {
  WITH_MASK(set, PPOLL_CHECKED, checked_poll_function, (files, count, timeout, set, bytes));
}
LIBC_NAME int pselect(int count, fd_set *restrict reads, fd_set *restrict writes,
                      fd_set *restrict exceptions, const struct timespec *restrict timeout,
                      const sigset_t *restrict set) {
  WITH_MASK(set, PSELECT, select_function, (count, reads, writes, exceptions, timeout, set));
}
LIBC_NAME int epoll_pwait(int file, struct epoll_event *events, int most, int timeout,
                          const sigset_t *set) {
  WITH_MASK(set, EPOLL, epoll_function, (file, events, most, timeout, set));
}
LIBC_NAME epoll_function_2 ascribe_epoll_pwait2 __asm__("epoll_pwait2");
int ascribe_epoll_pwait2(int file, struct epoll_event *events, int most,
                         const struct timespec *timeout, const sigset_t *set) {
  if (!next_function(&waits[EPOLL_2])) { /* glibc before 2.35 has none */
    errno = ENOSYS;
    return -1;
  }
  WITH_MASK(set, EPOLL_2, epoll_function_2, (file, events, most, timeout, set));
}
