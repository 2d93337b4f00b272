#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_NOT_FOUND = 127 };

static volatile sig_atomic_t child_pid;

/* From another process: it meant the program. From the terminal, the program got it too. */
static void pass_on(int signal, siginfo_t *info, void *machine) {
  (void)machine;
  if (info->si_code <= 0 && child_pid > 0) kill((pid_t)child_pid, signal);
}

static const int passed_on[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

static void handle_signals(struct sigaction old[PASSED_ON]) {
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < PASSED_ON; i++) {
    sigaction(passed_on[i], NULL, &old[i]);
    /* nohup's SIG_IGN stays: the program inherits it. */
    if (old[i].sa_handler != SIG_IGN) sigaction(passed_on[i], &action, NULL);
  }
}

static void become_program(const struct launch *launch, const struct sigaction old[PASSED_ON],
                           int failure) {
  for (int i = 0; i < PASSED_ON; i++)
    sigaction(passed_on[i], &old[i], NULL);
  for (int i = 0; i < LAUNCH_VARIABLES && launch->variables[i].name; i++)
    if (launch->variables[i].value)
      setenv(launch->variables[i].name, launch->variables[i].value, 1);
  execvp(launch->program[0], launch->program);
  int error = errno;
  while (write(failure, &error, sizeof error) < 0 && errno == EINTR)
    ;
  _exit(STATUS_NOT_FOUND);
}

int launch_run(const struct launch *launch, int *status) {
  int failure[2];
  struct sigaction old[PASSED_ON];
  if (pipe2(failure, O_CLOEXEC)) return -1;
  handle_signals(old);
  pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid == 0) {
    close(failure[0]);
    become_program(launch, old, failure[1]);
  }
  child_pid = pid;
  close(failure[1]);
  int error = 0;
  ssize_t got;
  while ((got = read(failure[0], &error, sizeof error)) < 0 && errno == EINTR)
    ;
  close(failure[0]);
  while (waitpid(pid, status, 0) < 0)
    if (errno != EINTR) return -1;
  child_pid = 0;
  if (got == sizeof error) {
    errno = error;
    return -1;
  }
  return 0;
}

/* Its core dump was its own. */
int launch_end_as(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  int number = WTERMSIG(status);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
  return 128 + number;
}
