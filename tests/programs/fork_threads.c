/* fork while other threads call instrumented code; grandchildren too.
 * EXPECT levels -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT compile -pthread
 * EXPECT output 20 0
 * EXPECT arc child work 400
 * EXPECT processes 41
 */
#include "program.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int stop;

KEEP int work(int n) {
  return n + 1;
}
KEEP int noise(int n) {
  return n + 1;
}

KEEP void child(void) {
  for (int i = 0; i < 10; i++)
    work(i);
  NOT_A_TAIL();
}

KEEP void *thread_main(void *argument) {
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
    noise(1);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0) return 1;
  int ended = 0, bad = 0;
  for (int i = 0; i < 20; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      child();
      pid_t grandchild = fork();
      if (grandchild == 0) {
        child();
        _exit(3);
      }
      int status;
      waitpid(grandchild, &status, 0);
      _exit(WEXITSTATUS(status));
    }
    int status;
    ended += waitpid(pid, &status, 0) == pid;
    bad += WEXITSTATUS(status) != 3;
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("%d %d\n", ended, bad);
  return 0;
}
