/* Sets a handler of the signal of the ticks by a system call instruction, which nobody answers, and
 * works: takes_signal NUMBER ["default"]. */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

struct kernel_action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

void return_from_handler(void);
__asm__("return_from_handler: movq $15, %rax; syscall");

static void handler(int number) {
  (void)number;
}

static long set(int number, void (*action_of)(int)) {
  const struct kernel_action action = {action_of, 0x04000000 /* SA_RESTORER */, return_from_handler,
                                       0};
  register long bytes __asm__("r10") = sizeof action.mask;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"((long)SYS_rt_sigaction), "D"((long)number), "S"(&action), "d"(0l),
                     "r"(bytes)
                   : "rcx", "r11", "memory");
  return result;
}

int main(int count, char **arguments) {
  if (count < 2 || set(atoi(arguments[1]), count > 2 ? SIG_DFL : handler)) return 1;
  while (clock() < CLOCKS_PER_SEC / 5)
    ;
  return 0;
}
