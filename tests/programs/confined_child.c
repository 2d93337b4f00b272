/* A child in its parent's memory confines itself and executes a program: the parent is as free as
 * before, and its threads are sampled.
 * EXPECT levels sampled
 * EXPECT compile -pthread
 * EXPECT output executed status 0 thread
 * EXPECT sampled outermost main works
 * EXPECT sampled present works
 */
#include "program.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS(number)                                                                              \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                               \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    KILLS(SYS_perf_event_open),
    KILLS(SYS_timer_create),
    KILLS(SYS_ftruncate),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

KEEP void *works(void *unused) {
  burn(100000000);
  puts("thread");
  return NULL;
}

int main(void) {
  pthread_t thread;
  int status;
  pid_t child = vfork();
  if (child == 0) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
      _exit(1);
    execl("/bin/echo", "/bin/echo", "executed", (char *)NULL);
    _exit(2);
  }
  if (waitpid(child, &status, 0) != child) return 1;
  printf("status %d\n", status);
  if (pthread_create(&thread, NULL, works, NULL) || pthread_join(thread, NULL)) return 1;
  return 0;
}
