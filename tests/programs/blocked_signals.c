/* Every signal is blocked, and one thread waits for any: none comes that the program did not send.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output only USR1
 * EXPECT calls work 300
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"
#include <pthread.h>
#include <signal.h>

KEEP void work(void) {
  burn(1000000);
}

KEEP void *works(void *argument) {
  for (int i = 0; i < 300; i++)
    work();
  pthread_kill(*(pthread_t *)argument, SIGUSR1);
  return NULL;
}

int main(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_t self = pthread_self(), worker;
  if (pthread_create(&worker, NULL, works, &self) != 0) return 1;
  int number = sigwaitinfo(&all, NULL);
  puts(number == SIGUSR1 ? "only USR1" : "another signal");
  pthread_join(worker, NULL);
  return number != SIGUSR1;
}
