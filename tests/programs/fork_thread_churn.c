/* fork while other threads start threads; each child starts one too.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output 80 0
 */
#include "program.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int stop;

KEEP void *nothing(void *argument) {
  return argument;
}

KEEP int start_one(void) {
  pthread_t thread;
  int status = pthread_create(&thread, NULL, nothing, NULL);
  if (status == 0) pthread_join(thread, NULL);
  return status;
}

KEEP void *churn(void *argument) {
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
    start_one();
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], NULL, churn, NULL) != 0) return 1;
  int ended = 0, bad = 0;
  for (int i = 0; i < 80; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      alarm(10);
      _exit(start_one());
    }
    int status;
    ended += waitpid(pid, &status, 0) == pid;
    bad += status != 0;
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("%d %d\n", ended, bad);
  return 0;
}
