/* The older ways to set handlers and masks, of the signals that sampling uses and of others.
 * EXPECT levels -O2
 * EXPECT output refused interrupted ignored 0 held pending 1 mask 1 plain 2
 * EXPECT sampled present main
 */
#include "program.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

KEEP void handler(int number) {
  handled += number == SIGTRAP;
}

static void on_alarm(int number) {
  (void)number;
}

/* The calls of BSD, which <signal.h> marks as deprecated. */
extern int set_mask(int mask) __asm__("sigsetmask");
extern int block_mask(int mask) __asm__("sigblock");
extern void (*set_disposition(int number, void (*function)(int)))(int) __asm__("sigset");
extern int hold(int number) __asm__("sighold");
extern int release(int number) __asm__("sigrelse");
extern int interrupts(int number, int flag) __asm__("siginterrupt");
extern void (*set_again(int number, void (*function)(int)))(int) __asm__("ssignal");

static bool read_is_interrupted(void) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) return false;
  interrupts(SIGALRM, 1);
  signal(SIGALRM, on_alarm);
  alarm(1);
  return read(ends[0], &byte, 1) < 0 && errno == EINTR;
}

int main(void) {
  sigset_t pending;
  errno = 0;
  printf(signal(SIGTRAP, SIG_ERR) == SIG_ERR && errno == EINVAL ? "refused " : "taken ");
  printf(read_is_interrupted() ? "interrupted " : "restarted ");
  set_disposition(SIGTRAP, SIG_IGN);
  set_disposition(SIGPROF, SIG_IGN);
  burn(100000000);
  raise(SIGTRAP);
  printf("ignored %d ", (int)handled);
  set_disposition(SIGTRAP, handler);
  hold(SIGTRAP);
  raise(SIGTRAP);
  sigpending(&pending);
  printf("held %s ", sigismember(&pending, SIGTRAP) && !handled ? "pending" : "lost");
  release(SIGTRAP);
  printf("%d ", (int)handled);
  block_mask(1 << (SIGTRAP - 1));
  raise(SIGTRAP);
  printf("mask %d ", (int)handled);
  set_mask(0);
  set_again(SIGTRAP, SIG_DFL);
  printf("plain %d\n", (int)handled);
  return 0;
}
