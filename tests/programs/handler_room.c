/* SA_ONSTACK without an alternate stack: the handler has the program's own stack, which is large.
 * EXPECT levels -O0 -O2
 * EXPECT compile -pthread
 * EXPECT output 2 disabled
 * EXPECT calls handler 2
 */
#include "program.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>

static volatile int handled;

KEEP void handler(int number) {
  volatile char room[512 * 1024];
  for (size_t i = 0; i < sizeof room; i += 1024)
    room[i] = (char)number;
  handled += room[1024] == number;
}

KEEP void *thread_main(void *argument) {
  raise(SIGUSR1);
  return argument;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  pthread_t thread;
  if (pthread_create(&thread, NULL, thread_main, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  stack_t now;
  sigaltstack(NULL, &now);
  sigaction(SIGUSR1, NULL, &action);
  if (!(action.sa_flags & SA_ONSTACK)) return 1;
  printf("%d %s\n", handled, now.ss_flags & SS_DISABLE ? "disabled" : "not disabled");
  return 0;
}
