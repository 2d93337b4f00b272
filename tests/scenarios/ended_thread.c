/* A thread that counts and ends; then its maker runs for as many seconds as it is told. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static __attribute__((noipa)) int work(int n) {
  return n + 1;
}

static __attribute__((noipa)) void *counting(void *unused) {
  int n = 0;
  for (int i = 0; i < 1000; i++)
    n = work(n);
  return n == 1000 ? unused : NULL;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **words) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, counting, NULL)) return 1;
  pthread_join(thread, NULL);
  double end = seconds() + (count > 1 ? atof(words[1]) : 0);
  while (seconds() < end)
    for (volatile long i = 0; i < 100000; i = i + 1)
      ;
  return 0;
}
