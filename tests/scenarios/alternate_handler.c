/* A handler on an alternate stack of its own, 100 times: it only calls a function that works. Says
 * how many nanoseconds of CPU time that took. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;
static long in_handler;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

__attribute__((noinline)) void works(int number) {
  long before = now(), end = before;
  while (end - before < 400000) {
    for (int i = 0; i < 20000; i++)
      sum += (unsigned long)number;
    end = now();
  }
  in_handler += end - before;
}

__attribute__((noinline)) void handler(int number) {
  works(number);
  __asm__ volatile("");
}

__attribute__((noinline)) void raiser(void) {
  raise(SIGUSR1);
  for (int i = 0; i < 400000; i++)
    sum++;
}

int main(void) {
  stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 100; i++)
    raiser();
  printf("%ld\n", in_handler);
  return 0;
}
