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

#include "runtime/libc_name.h"
#include "runtime/next_function.h"
#include "runtime/signal_masks.h"
#include "runtime/signals.h"
#include "runtime/system.h"

#define SECOND 1000000000ull

enum waiting { SIGTIMEDWAIT, SIGSUSPEND, PPOLL, PPOLL_CHECKED, PSELECT, EPOLL };
static struct next_function waits[] = {
    [SIGTIMEDWAIT] = {"sigtimedwait", NULL},
    [SIGSUSPEND] = {"sigsuspend", NULL},
    [PPOLL] = {"ppoll", NULL},
    [PPOLL_CHECKED] = {"__ppoll_chk", NULL},
    [PSELECT] = {"pselect", NULL},
    [EPOLL] = {"epoll_pwait", NULL},
};
NEXT_FUNCTIONS_FOUND_EARLY(waits);

typedef int wait_function(const sigset_t *, siginfo_t *, const struct timespec *);

/* `timeout` null: for ever. Returns as sigtimedwait does. */
static int wait_for_other(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
  wait_function *wait = (wait_function *)next_function(&waits[SIGTIMEDWAIT]);
  siginfo_t unasked;
  if (!info) info = &unasked;
  uint64_t end = 0;
  if (signals_clocks() && timeout && timeout->tv_sec >= 0 && timeout->tv_sec < (1l << 30))
    end = system_clock(CLOCK_MONOTONIC) + (uint64_t)timeout->tv_sec * SECOND +
          (uint64_t)timeout->tv_nsec;
  struct timespec left;
  int number;
  while ((number = wait(set, info, timeout)) > 0 && tick_is_ours(info)) {
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

LIBC_NAME int sigsuspend(const sigset_t *set) {
  WITH_MASK(set, SIGSUSPEND, suspend_function, (set));
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
