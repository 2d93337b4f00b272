/* A handler at 1 kHz that calls instrumented code, while tables grow under it: counts are exact.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT record --rate 4000
 * EXPECT output done
 */
#include "parts/maze.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t handled;
static volatile long in_handler;

KEEP int leaf(int n) {
  in_handler++;
  return n;
}

KEEP int branch(int n) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += leaf(i + n);
  return sum;
}

KEEP void on_alarm(int signal_number) {
  handled++;
  branch(signal_number);
  maze[handled & 31](6, (unsigned)handled);
  NOT_A_TAIL();
}

KEEP int straight(int n) {
  int result = leaf(n);
  NOT_A_TAIL();
  return result;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  long straights = 0;
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    for (int i = 0; i < 2000; i++, straights++)
      straight(i);
    if (straights < 200000) maze[straights / 2000 % 32](60, (unsigned)straights);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - start.tv_sec < 1 || now.tv_nsec < start.tv_nsec);
  memset(&timer, 0, sizeof timer);
  setitimer(ITIMER_REAL, &timer, NULL);
  puts("done");
  expect("calls on_alarm %d", (int)handled);
  expect("calls branch %d", (int)handled);
  expect("arc branch leaf %d", (int)handled * 5);
  expect("calls straight %ld", straights);
  expect("arc straight leaf %ld", straights);
  expect("calls-like maze_%% %ld", maze_calls);
  return 0;
}
