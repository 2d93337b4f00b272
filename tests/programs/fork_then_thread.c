/* A child made by a bare clone starts a thread, loads nothing and calls nothing before: the thread
 * is the child's, not the parent's.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output 5
 * EXPECT arc thread_main work 5
 * EXPECT processes 2
 */
#include "program.h"
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

KEEP void *thread_main(void *argument) {
  for (int i = 0; i < 5; i++)
    work(i);
  return argument;
}

int main(void) {
  pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, thread_main, NULL) != 0) _exit(1);
    pthread_join(thread, NULL);
    _exit(5);
  }
  int status;
  waitpid(pid, &status, 0);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
