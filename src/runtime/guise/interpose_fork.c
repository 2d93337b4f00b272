/* _Fork, which runs no handlers, and libc's `syscall`: the child begins a recording of its own
 * here, so that what it counts is not its parent's. Signal-safe, as they are themselves. */
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

#include "runtime/guise/libc_name.h"
#include "runtime/guise/next_function.h"
#include "runtime/registry/process_state.h"

static struct next_function forks[] = {{"_Fork", NULL}};
NEXT_FUNCTIONS_FOUND_EARLY(forks);

typedef pid_t fork_function(void);

LIBC_NAME pid_t ascribe_fork_now(void) __asm__("_Fork");
pid_t ascribe_fork_now(void) {
  fork_function *real = (fork_function *)next_function(&forks[0]);
  if (!real) { /* glibc before 2.34 has none */
    errno = ENOSYS;
    return -1;
  }
  pid_t child = real();
  if (!child) process_is_recording();
  return child;
}

/* From interpose_jumps.S, in a child; one that shares its parent's memory has nothing to begin. */
void ascribe_child_entered(void);
void ascribe_child_entered(void) {
  process_is_recording();
}
