#include "outside/file_fault.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static sigjmp_buf back;
static volatile sig_atomic_t guarded;

static void on_fault(int number) {
  if (!guarded) { /* not ours: end as without a handler */
    signal(number, SIG_DFL);
    return;
  }
  guarded = 0;
  siglongjmp(back, 1);
}

bool file_fault_guard(void (*body)(void *context), void *context) {
  static bool installed;
  if (!installed) {
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
    sigemptyset(&action.sa_mask);
    installed = sigaction(SIGBUS, &action, NULL) == 0;
  }
  if (sigsetjmp(back, 0)) return false;
  guarded = 1;
  body(context);
  guarded = 0;
  return true;
}
