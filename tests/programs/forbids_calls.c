/* The program forbids itself to open files, to look at memory through the kernel and to use perf
 * events, and goes on with threads, children and coroutines.
 * EXPECT levels sampled
 * EXPECT compile -pthread
 * EXPECT output coroutine thread child parent
 * EXPECT sampled outermost main works coroutine
 * EXPECT sampled present work
 */
#include "program.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FORBID(number)                                                                             \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                               \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static int forbid(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      FORBID(SYS_open),
      FORBID(SYS_openat),
      FORBID(SYS_process_vm_readv),
      FORBID(SYS_perf_event_open),
      FORBID(SYS_timer_create),
      FORBID(SYS_ioctl),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static ucontext_t outside, inside;
static char stack[16384];

KEEP void work(void) {
  burn(100000000);
  NOT_A_TAIL();
}

KEEP void coroutine(void) {
  work();
  puts("coroutine");
}

KEEP void *works(void *unused) {
  work();
  puts("thread");
  return NULL;
}

int main(void) {
  pthread_t thread;
  if (forbid()) return 1;
  work();
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &outside;
  makecontext(&inside, coroutine, 0);
  swapcontext(&outside, &inside);
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
