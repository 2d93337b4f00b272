/* Handlers that interrupt any moment of the runtime and never return to it: what they left half
 * done does no harm to what comes after.
 * EXPECT levels -O2
 * EXPECT compile -D_GNU_SOURCE
 * EXPECT output 3000 jumps
 * EXPECT uncounted the machine of contexts is never interrupted
 */
#include "parts/maze.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { JUMPS = 3000, AFTER_PATHS = 20000 };

/* The runtime's own code, where there is one; it runs when the program is recorded. */
extern const char __start_ascribe_text[] __attribute__((weak));
extern const char __stop_ascribe_text[] __attribute__((weak));

static sigjmp_buf back;
static volatile int jumps;

static int recorded;

static __attribute__((no_instrument_function)) void handler(int number, siginfo_t *info,
                                                            void *context) {
  (void)number;
  (void)info;
  const char *at = (const char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  if (recorded && (at < __start_ascribe_text || at >= __stop_ascribe_text)) return;
  siglongjmp(back, 1);
}

static long after_calls;
typedef void after_function(unsigned depth, unsigned path);
static after_function *const after[4];

#define AFTER(n)                                                                                   \
  static KEEP void after_##n(unsigned depth, unsigned path) {                                      \
    after_calls++;                                                                                 \
    if (depth) after[path & 3](depth - 1, path >> 2);                                              \
    NOT_A_TAIL();                                                                                  \
  }
AFTER(0)
AFTER(1)
AFTER(2) AFTER(3) static after_function *const after[4] = {after_0, after_1, after_2, after_3};

int main(void) {
  recorded = __start_ascribe_text && getenv("EXPECT_FILE");
  static volatile unsigned i;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  if (sigsetjmp(back, 1)) jumps++;
  ualarm(jumps < JUMPS ? 100 : 0, 100);
  for (; jumps < JUMPS; i++)
    maze[i & 31](24, i * 2654435761u);
  for (unsigned path = 0; path < AFTER_PATHS; path++)
    after[path & 3](8, path * 2654435761u);
  expect("calls-like after__ %ld", after_calls);
  printf("%d jumps\n", jumps);
  return 0;
}
