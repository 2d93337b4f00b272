/* ThreadSanitizer holds signals back until it is at rest: it has to know of their handlers, which
 * run on stacks of their own. Their number follows the CPU time, also on a busy machine.
 * Ticks that it held back have a gap in their stacks.
 * EXPECT levels -O1
 * EXPECT compile -fsanitize=thread -pthread -D_GNU_SOURCE
 * EXPECT output 160000 handled
 * EXPECT calls work 160000
 * EXPECT sampled cut any
 */
#include "program.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum, handled;

KEEP void handler(int number) {
  __atomic_fetch_add(&handled, number, __ATOMIC_RELAXED);
}

KEEP void work(int n) {
  char *memory = malloc((size_t)n % 1000 + 1);
  pthread_mutex_lock(&lock);
  sum += memory != NULL;
  pthread_mutex_unlock(&lock);
  free(memory);
}

KEEP void *thread_main(void *argument) {
  for (int i = 0; i < 40000; i++)
    work(i);
  return argument;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGVTALRM, &action, NULL);
  setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0, 20000}, {0, 20000}}, NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0) return 1;
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  printf("%ld %s\n", sum, handled ? "handled" : "not handled");
  return 0;
}
