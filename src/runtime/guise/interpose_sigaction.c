/* In dynamically linked programs there may be another sigaction behind the runtime's own, such as a
 * sanitizer's, which has to know of the program's handlers. */
#include <signal.h>

#include "runtime/guise/next_function.h"
#include "runtime/guise/signals.h"

static void find_next(void) {
  signals_next_sigaction =
      (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction");
}

RUN_EARLY(find_next);
