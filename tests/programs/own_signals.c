/* The program's own SIGPROF, SIGTRAP and timers work as without us.
 * EXPECT levels -O0 -O2
 * EXPECT output traps 3 profs yes virtual yes timer yes restored yes
 * EXPECT calls on_trap 3
 */
#include "program.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t traps, profs, virtuals, timers, foreign;

KEEP void on_trap(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  traps++;
  foreign += info->si_pid != getpid();
}

KEEP void on_prof(int number) {
  profs += number == SIGPROF;
}
KEEP void on_virtual(int number) {
  virtuals += number == SIGVTALRM;
}
KEEP void on_timer(int number) {
  timers += number == SIGRTMIN;
}

static void install(int number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(number, &action, NULL);
}

int main(void) {
  struct sigaction action, old;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &old);
  int was_default = old.sa_handler == SIG_DFL;
  install(SIGPROF, on_prof);
  install(SIGVTALRM, on_virtual);
  install(SIGRTMIN, on_timer);
  struct itimerval interval = {{0, 10000}, {0, 10000}};
  setitimer(ITIMER_PROF, &interval, NULL);
  setitimer(ITIMER_VIRTUAL, &interval, NULL);
  timer_t timer;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec often = {{0, 5000000}, {0, 5000000}};
  timer_settime(timer, 0, &often, NULL);
  for (int i = 0; i < 3; i++)
    raise(SIGTRAP);
  for (int i = 0; i < 400; i++)
    burn(1000000);
  sigaction(SIGTRAP, NULL, &old);
  printf("traps %d profs %s virtual %s timer %s restored %s\n", (int)traps, profs ? "yes" : "no",
         virtuals ? "yes" : "no", timers ? "yes" : "no",
         was_default && old.sa_sigaction == on_trap && foreign == 0 ? "yes" : "no");
  return 0;
}
