/* A timer's handler without SA_RESTART ends a thousand reads.  Ticks of the kernel's time that come
 * at the same moment must not make a read start again: then there are more signals than reads.
 * EXPECT levels -O2
 * EXPECT output ended
 * EXPECT sampled present main
 */
#include "program.h"
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void on_timer(int number) {
  (void)number;
  signals++;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_timer};
  struct itimerval each = {{0, 1000}, {0, 1000}}, never = {0};
  int ends[2], reads = 0;
  char byte;
  burn(50000000);
  sigaction(SIGALRM, &action, NULL);
  if (pipe(ends) != 0) return 1;
  setitimer(ITIMER_REAL, &each, NULL);
  while (reads < 1000 && read(ends[0], &byte, 1) < 0 && errno == EINTR)
    reads++;
  setitimer(ITIMER_REAL, &never, NULL);
  /* Some come before a read has begun. */
  puts(reads == 1000 && signals <= 1015 ? "ended" : "started again");
  return 0;
}
