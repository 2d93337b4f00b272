/* Calls that wait for a signal: a program that blocks every signal and waits for any would be
 * handed our ticks.  They are passed over; the wait goes on. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "runtime/next_function.h"
#include "runtime/signals.h"
#include "runtime/system.h"

#define EXPORTED __attribute__((visibility("default")))
#define SECOND 1000000000ull

static struct next_function waits[] = {{"sigtimedwait", NULL}};
NEXT_FUNCTIONS_FOUND_EARLY(waits);

typedef int wait_function(const sigset_t *, siginfo_t *, const struct timespec *);

/* `timeout` null: for ever. Returns as sigtimedwait does. */
static int wait_for_other(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
  wait_function *wait = (wait_function *)next_function(&waits[0]);
  siginfo_t unasked;
  if (!info) info = &unasked;
  uint64_t end = 0;
  if (timeout && timeout->tv_sec >= 0 && timeout->tv_sec < (1l << 30))
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

EXPORTED int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                          const struct timespec *restrict timeout) {
  return wait_for_other(set, info, timeout);
}

EXPORTED int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info) {
  return wait_for_other(set, info, NULL);
}

EXPORTED int sigwait(const sigset_t *restrict set, int *restrict number) {
  int taken;
  while ((taken = wait_for_other(set, NULL, NULL)) < 0 && errno == EINTR)
    ;
  if (taken < 0) return errno;
  *number = taken;
  return 0;
}
