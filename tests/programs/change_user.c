/* The program becomes another user, who can open nothing of ours; then has threads and children.
 * EXPECT levels sampled
 * EXPECT compile -pthread -D_GNU_SOURCE
 * EXPECT output thread child parent
 * EXPECT sampled outermost main works
 * EXPECT sampled present work
 */
#include "program.h"
#include <grp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

KEEP void work(void) {
  burn(100000000);
  NOT_A_TAIL();
}

KEEP void *works(void *unused) {
  work();
  puts("thread");
  return NULL;
}

int main(void) {
  pthread_t thread;
  if (getuid() == 0 && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
                        setresuid(NOBODY, NOBODY, NOBODY)))
    return 1;
  work();
  if (pthread_create(&thread, NULL, works, NULL) || pthread_join(thread, NULL)) return 1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    work();
    puts("child");
    return 0;
  }
  int status;
  if (waitpid(child, &status, 0) != child || status) return 1;
  puts("parent");
  return 0;
}
