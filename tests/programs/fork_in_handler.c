/* A handler forks, and the child returns from it: into the middle of whatever was interrupted, the
 * growth of tables included. Parent and child go on with the same work.
 * EXPECT levels -O2
 * EXPECT compile -D_GNU_SOURCE
 * EXPECT output 40 good, 0 bad
 * EXPECT processes 41
 * EXPECT uncounted the machine of contexts is never interrupted
 */
#include "parts/maze.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { FORKS = 40, WALKS = 4000 };

/* The runtime's own code, where there is one; it runs when the program is recorded. */
extern const char __start_ascribe_text[] __attribute__((weak));
extern const char __stop_ascribe_text[] __attribute__((weak));

static pid_t children[FORKS];
static volatile int forks;
static volatile int is_child;

static int recorded;

static __attribute__((no_instrument_function)) void handler(int number, siginfo_t *info,
                                                            void *context) {
  (void)number;
  (void)info;
  const char *at = (const char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  if (is_child || forks == FORKS) return;
  if (recorded && (at < __start_ascribe_text || at >= __stop_ascribe_text)) return;
  pid_t pid = fork();
  if (pid == 0) is_child = 1;
  children[forks] = pid;
  forks += pid > 0;
}

int main(void) {
  recorded = __start_ascribe_text && getenv("EXPECT_FILE");
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  ualarm(200, 200);
  for (unsigned i = 0; i < WALKS || (!is_child && forks < FORKS); i++)
    maze[i & 31](24, i * 2654435761u);
  ualarm(0, 0);
  if (is_child) _exit(0);
  int good = 0, bad = 0;
  for (int i = 0; i < FORKS; i++) {
    int status = 1;
    waitpid(children[i], &status, 0);
    status == 0 ? good++ : bad++;
  }
  printf("%d good, %d bad\n", good, bad);
  return 0;
}
