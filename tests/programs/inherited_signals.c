/* What is blocked and what is ignored is so in the next program too, and in children's, however
 * they are made; where another program cannot be executed this one goes on as it was.
 * EXPECT levels -O2
 * EXPECT output exec blocked ignored spawn blocked ignored popen blocked ignored vfork blocked ignored handled 0 1
 * EXPECT sampled present main
 */
#include "program.h"
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

KEEP void on_signal(int number) {
  handled += number == SIGTRAP;
}

static int tell(const char *how) {
  sigset_t now;
  struct sigaction action;
  sigprocmask(SIG_BLOCK, NULL, &now);
  sigaction(SIGPROF, NULL, &action);
  printf("%s %s %s\n", how, sigismember(&now, SIGTRAP) ? "blocked" : "free",
         action.sa_handler == SIG_IGN ? "ignored" : "deadly");
  return 0;
}

static void finish(pid_t child) {
  waitpid(child, NULL, 0);
}

static void run_children(const char *self) {
  char *arguments[] = {(char *)self, "spawn", NULL}, *none[] = {NULL};
  char command[4200];
  pid_t child;
  if (posix_spawn(&child, self, NULL, NULL, arguments, none) == 0) finish(child);
  snprintf(command, sizeof command, "exec %s popen", self);
  FILE *output = popen(command, "w");
  if (output) pclose(output);
  child = vfork();
  if (child == 0) {
    execl(self, self, "vfork", (char *)NULL);
    _exit(1);
  }
  finish(child);
}

int main(int argc, char **argv) {
  sigset_t trap;
  if (argc > 1 && strcmp(argv[1], "exec") != 0) return tell(argv[1]);
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  if (argc == 1) {
    sigprocmask(SIG_BLOCK, &trap, NULL);
    signal(SIGPROF, SIG_IGN);
    burn(50000000);
    execl("/proc/self/exe", argv[0], "exec", (char *)NULL);
    return 1;
  }
  tell(argv[1]);
  fflush(stdout);
  run_children(argv[0]);
  signal(SIGTRAP, on_signal);
  execl("/", "nothing", (char *)NULL);
  burn(100000000);
  raise(SIGTRAP);
  printf("handled %d ", (int)handled);
  sigprocmask(SIG_UNBLOCK, &trap, NULL);
  printf("%d\n", (int)handled);
  return 0;
}
