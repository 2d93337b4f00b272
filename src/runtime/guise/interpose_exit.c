/* Ends without exit handlers. The kernel's figures of CPU time are as old as the last tick that
 * looked at them, and a process that was in the kernel ever since had none. */
#include <unistd.h>

#include "runtime/guise/libc_name.h"
#include "runtime/guise/next_function.h"
#include "runtime/life/process.h"

static struct next_function exits[] = {{"_exit", NULL}, {"_Exit", NULL}};
NEXT_FUNCTIONS_FOUND_EARLY(exits);

typedef void exit_function(int);

static __attribute__((noreturn)) void end(struct next_function *next, int status) {
  process_note_end();
  ((exit_function *)next_function(next))(status);
  __builtin_unreachable();
}

LIBC_NAME __attribute__((noreturn)) void ascribe_exit_now(int status) __asm__("_exit");
void ascribe_exit_now(int status) {
  end(&exits[0], status);
}

LIBC_NAME __attribute__((noreturn)) void ascribe_exit_now_c(int status) __asm__("_Exit");
void ascribe_exit_now_c(int status) {
  end(&exits[1], status);
}
