/* A child that may not start a recording of its own counts nothing, nor in its parent's.
 * EXPECT levels -O0 -O2
 * EXPECT output 1000000
 * EXPECT processes 1
 * EXPECT dropped 6
 * EXPECT calls twice 1
 * EXPECT calls step 1000000
 * EXPECT calls again 2
 * EXPECT arc again step 1000000
 * EXPECT unsampled the child has no stacks to look at
 */
#include "program.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

static volatile long sum;

KEEP void step(long n) {
  sum += n;
}
KEEP void again(long times) {
  for (long i = 0; i < times; i++)
    step(1);
  NOT_A_TAIL();
}
/* The child goes on where the parent has been. */
KEEP pid_t twice(void) {
  pid_t child = -1;
  for (int round = 0; round < 2; round++) {
    if (round) child = fork();
    again(child == 0 ? 1500000 : 500000);
  }
  return child;
}

int main(void) {
  int status;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    return 1;
  pid_t child = twice();
  if (child == 0) return sum != 2000000;
  printf("%ld\n", sum);
  if (waitpid(child, &status, 0) != child || status) return 2;
  return 0;
}
