/* _Fork, which runs no handlers: the child begins a recording of its own here, so that its counters
 * are not its parent's. Signal-safe, as it is itself. */
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
