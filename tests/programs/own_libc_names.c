/* The program's own functions by names of libc's that the runtime answers: they are the ones
 * called.
 * EXPECT levels -O0 -O2
 * EXPECT compile -fno-builtin -w
 * EXPECT output mine 44
 * EXPECT calls mine 44
 */
extern int printf(const char *, ...);

static int called;

__attribute__((noipa)) int mine(int n) {
  return n + 1;
}

#define NAMES(each)                                                                                \
  each(_longjmp) each(_setjmp) each(bsd_signal) each(dlclose) each(dlopen) each(epoll_pwait)       \
      each(getcontext) each(longjmp) each(popen) each(posix_spawn) each(posix_spawnp) each(ppoll)  \
          each(prctl) each(pselect) each(pthread_create) each(pthread_sigmask) each(setcontext)    \
              each(setjmp) each(sigaction) each(sigaltstack) each(sigblock) each(siggetmask)       \
                  each(sighold) each(sigignore) each(siginterrupt) each(siglongjmp) each(signal)   \
                      each(sigprocmask) each(sigrelse) each(sigset) each(sigsetmask)               \
                          each(sigsuspend) each(sigtimedwait) each(sigwait) each(sigwaitinfo)      \
                              each(ssignal) each(swapcontext) each(syscall) each(system)           \
                                  each(sysv_signal) each(thrd_create) each(fexecve)                \
                                      each(__sysv_signal) each(__sigsetjmp)

#define DEFINE(name)                                                                               \
  __attribute__((noinline)) int name(int n) {                                                      \
    return mine(n);                                                                                \
  }
NAMES(DEFINE)

int main(void) {
#define CALL(name) called = name(called);
  NAMES(CALL)
  printf("mine %d\n", called);
  return 0;
}
