/* A thread that no tick can meet for a while, beside one that all can meet: a handler runs on an
 * alternate stack of the program's own, which has no room for a tick's.  Arguments: milliseconds of
 * CPU time of the first thread; of the second inside the handler, and after it.  Prints, in
 * nanoseconds of their own clocks, what both used. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long inside_ms, after_ms;
static volatile unsigned long sink;

static unsigned long long used(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static __attribute__((noinline)) void spin(unsigned long ms) {
  unsigned long long end = used() + ms * 1000000ull;
  while (used() < end)
    for (int i = 0; i < 100000; i++)
      sink += i;
}

static void handler(int signal) {
  (void)signal;
  spin(inside_ms);
}

static void *second(void *result) {
  stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  spin(after_ms);
  *(unsigned long long *)result = used();
  return NULL;
}

int main(int count, char **arguments) {
  pthread_t thread;
  unsigned long long of_second;
  if (count != 4) return 2;
  inside_ms = strtoul(arguments[2], NULL, 10);
  after_ms = strtoul(arguments[3], NULL, 10);
  pthread_create(&thread, NULL, second, &of_second);
  pthread_join(thread, NULL);
  spin(strtoul(arguments[1], NULL, 10));
  printf("%llu %llu\n", used(), of_second);
  return 0;
}
