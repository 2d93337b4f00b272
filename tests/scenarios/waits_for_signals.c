/* Waits with other masks than its own, of which a signal ends each that is blocked else, as all
 * are. Prints how many ended without it, and whether the mask is the same again. */
#define _GNU_SOURCE /* ppoll, epoll_pwait2 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

/* X/Open's sigpause, which <signal.h> marks as deprecated. */
extern int pause_for(int number) __asm__("__xpg_sigpause");

enum { ROUNDS = 4000, KINDS = 6 };

static volatile sig_atomic_t came;

static void on_alarm(int signal) {
  (void)signal;
  came = 1;
}

static void burn(unsigned rounds) {
  for (volatile unsigned i = 0; i < rounds; i++)
    ;
}

static void wait_once(int kind, int epoll) {
  struct timespec most = {5, 0};
  struct epoll_event event;
  sigset_t none;
  sigemptyset(&none);
  if (kind == 0) sigsuspend(&none);
  if (kind == 1) ppoll(NULL, 0, &most, &none);
  if (kind == 2) pselect(0, NULL, NULL, NULL, &most, &none);
  if (kind == 3) epoll_pwait(epoll, &event, 1, 5000, &none);
  if (kind == 4) epoll_pwait2(epoll, &event, 1, &most, &none);
  if (kind == 5) pause_for(SIGALRM);
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  struct sigevent by_signal = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  struct timespec most = {5, 0};
  sigset_t all, alarms, before, after;
  timer_t timer;
  int epoll = epoll_create1(0), without = 0;
  sigaction(SIGALRM, &action, NULL);
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  sigprocmask(SIG_BLOCK, NULL, &before);
  if (epoll < 0 || timer_create(CLOCK_MONOTONIC, &by_signal, &timer) != 0) return 1;
  for (int i = 0; i < ROUNDS * KINDS; i++) {
    struct itimerspec soon = {.it_value = {0, 50000}};
    burn((unsigned)rand() % 20000);
    came = 0;
    timer_settime(timer, 0, &soon, NULL);
    wait_once(i % KINDS, epoll);
    if (came) continue;
    without++;
    sigtimedwait(&alarms, NULL, &most);
  }
  sigprocmask(SIG_BLOCK, NULL, &after);
  printf("%d without, mask %s\n", without, memcmp(&before, &after, 8) == 0 ? "kept" : "changed");
  return 0;
}
