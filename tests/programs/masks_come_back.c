/* Masks that come back with a jump or with a context, masks that a wait brings, and a signal that a
 * descriptor tells to another thread: of SIGTRAP, as of any signal.
 * EXPECT levels -O2
 * EXPECT compile -pthread -D_GNU_SOURCE
 * EXPECT output jump 1 inside 2 outside 2 then 3 wait 3 woken 4 poll 5 blocked again 6 pause 7 descriptor 5
 * EXPECT sampled present main
 */
#include "program.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <ucontext.h>
#include <unistd.h>

/* X/Open's sigpause, which <signal.h> marks as deprecated. */
extern int pause_for(int number) __asm__("__xpg_sigpause");

static volatile sig_atomic_t handled;
static ucontext_t outside, inside;
static char stack[65536];
static sigset_t trap, none;
static int descriptor;

KEEP void on_trap(int number) {
  handled += number == SIGTRAP;
}

KEEP void jump(void) {
  sigjmp_buf back;
  if (!sigsetjmp(back, 1)) {
    sigprocmask(SIG_BLOCK, &trap, NULL);
    siglongjmp(back, 1);
  }
  raise(SIGTRAP);
  printf("jump %d ", (int)handled);
}

KEEP void coroutine(void) {
  raise(SIGTRAP);
  printf("inside %d ", (int)handled);
}

KEEP void switch_over(void) {
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &outside;
  sigemptyset(&inside.uc_sigmask);
  makecontext(&inside, coroutine, 0);
  sigprocmask(SIG_BLOCK, &trap, NULL);
  swapcontext(&outside, &inside);
  raise(SIGTRAP);
  printf("outside %d ", (int)handled);
  sigprocmask(SIG_UNBLOCK, &trap, NULL);
  printf("then %d ", (int)handled);
}

KEEP void wait_for_it(void) {
  sigset_t now;
  struct timespec second = {1, 0};
  struct epoll_event event;
  sigprocmask(SIG_BLOCK, &trap, NULL);
  kill(getpid(), SIGTRAP);
  printf("wait %d ", (int)handled);
  do /* a tick that comes just when the wait begins ends it, as any signal does */
    sigsuspend(&none);
  while (handled < 4);
  printf("woken %d ", (int)handled);
  kill(getpid(), SIGTRAP);
  ppoll(NULL, 0, &second, &none);
  sigprocmask(SIG_BLOCK, NULL, &now);
  printf("poll %d %s ", (int)handled, sigismember(&now, SIGTRAP) ? "blocked" : "free");
  kill(getpid(), SIGTRAP);
  epoll_pwait2(epoll_create1(0), &event, 1, &second, &none);
  printf("again %d ", (int)handled);
  kill(getpid(), SIGTRAP);
  pause_for(SIGTRAP);
  printf("pause %d ", (int)handled);
}

KEEP void *reads(void *unused) {
  struct pollfd file = {descriptor, POLLIN, 0};
  struct signalfd_siginfo info;
  while (poll(&file, 1, 5000) < 0 && errno == EINTR)
    ;
  if (file.revents && read(descriptor, &info, sizeof info) == (ssize_t)sizeof info)
    printf("descriptor %d\n", (int)info.ssi_signo);
  return unused;
}

int main(void) {
  pthread_t thread;
  sigemptyset(&none);
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  signal(SIGTRAP, on_trap);
  jump();
  switch_over();
  wait_for_it();
  burn(50000000);
  descriptor = signalfd(-1, &trap, 0);
  if (pthread_create(&thread, NULL, reads, NULL)) return 1;
  kill(getpid(), SIGTRAP);
  pthread_join(thread, NULL);
  return 0;
}
