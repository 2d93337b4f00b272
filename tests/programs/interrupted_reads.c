/* Handlers without SA_RESTART end a thousand reads each: of a common signal, and of those of the
 * clocks.  Ticks of the kernel's time that come at the same moment must not make a read start
 * again, nor may the runtime, which hands on what is not a tick.
 * EXPECT levels -O2
 * EXPECT output ended ended ended
 * EXPECT sampled present main
 */
#define _GNU_SOURCE
#include "program.h"
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { READS = 1000, FEW = 8, SYSTEM_CALL_BYTES = 2 };

static volatile sig_atomic_t started_again;

/* The registers show whether the read will start again. The same is seen when the signal comes just
 * before the very instruction, which is seldom. */
static void on_timer(int number, siginfo_t *info, void *machine) {
  const greg_t *registers = ((ucontext_t *)machine)->uc_mcontext.gregs;
  (void)number;
  (void)info;
  started_again += registers[REG_RCX] == registers[REG_RIP] + SYSTEM_CALL_BYTES &&
                   registers[REG_R11] == registers[REG_EFL];
  if (started_again > FEW) _exit(1); /* it might never end */
}

static int ends_reads(int number, int empty) {
  struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
  struct itimerspec each = {{0, 1000000}, {0, 1000000}};
  timer_t timer;
  int reads = 0;
  char byte;
  started_again = 0;
  sigaction(number, &action, NULL);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &each, NULL))
    return 0;
  while (reads < READS && read(empty, &byte, 1) < 0 && errno == EINTR)
    reads++;
  timer_delete(timer);
  return reads == READS;
}

int main(void) {
  static const int numbers[] = {SIGALRM, SIGTRAP, SIGPROF};
  int ends[2];
  burn(50000000);
  if (pipe(ends) != 0) return 1;
  for (int i = 0; i < 3; i++)
    puts(ends_reads(numbers[i], ends[0]) ? "ended" : "failed");
  return 0;
}
