/* The program confines itself by filters that kill it for each call but those that it makes itself,
 * and goes on with threads and children, of which nothing is recorded. A program that is executed
 * under such a filter runs as it is.
 * EXPECT levels sampled
 * EXPECT compile -pthread
 * EXPECT output probed thread executed child parent
 * EXPECT sampled outermost main works
 * EXPECT sampled present work
 */
#include "program.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERMIT(number)                                                                             \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILLS(number)                                                                              \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                               \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

/* What only a profiler wants. */
static struct sock_filter unusual[] = {
    NUMBER,
    KILLS(SYS_timer_create),
    KILLS(SYS_timer_settime),
    KILLS(SYS_ioctl),
    KILLS(SYS_perf_event_open),
    KILLS(SYS_process_vm_readv),
    KILLS(SYS_getrusage),
    KILLS(SYS_gettid),
    KILLS(SYS_ftruncate),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* All but what follows. */
static struct sock_filter few[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    NUMBER,
    PERMIT(SYS_write),
    PERMIT(SYS_exit_group),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

#define PROGRAM(filter)                                                                            \
  { sizeof(filter) / sizeof *(filter), filter }

static int forbid_unusual(void) {
  struct sock_fprog program = PROGRAM(unusual);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Whether filters can be used: the kernel refuses one at no address. */
static int probe(void) {
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT;
}

static void tell(const char *text) {
  if (write(1, text, strlen(text)) < 0) _exit(4);
}

KEEP void work(void) {
  burn(100000000);
  NOT_A_TAIL();
}

KEEP void *works(void *unused) {
  work();
  tell("thread\n");
  return NULL;
}

static int wait_for(pid_t child) {
  int status;
  return waitpid(child, &status, 0) != child || status;
}

int main(int count, char **arguments) {
  pthread_t thread;
  if (count > 1) {
    work();
    tell("executed\n");
    return 0;
  }
  if (probe()) tell("probed\n");
  work();
  if (forbid_unusual()) return 1;
  work();
  if (pthread_create(&thread, NULL, works, NULL) || pthread_join(thread, NULL)) return 2;
  pid_t child = fork();
  if (child == 0) {
    execl(arguments[0], arguments[0], "again", NULL);
    return 5;
  }
  if (wait_for(child)) return 3;
  child = fork();
  if (child == 0) {
    work();
    tell("child\n");
    return 0;
  }
  if (wait_for(child)) return 3;
  struct sock_fprog program = PROGRAM(few);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) return 6;
  work(); /* handlers may not return from now on */
  tell("parent\n");
  _exit(0);
}
