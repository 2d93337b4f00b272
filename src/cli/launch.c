#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/record_options.h"

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
  for (int i = 0; launch->files && i < 3; i++)
    if (launch->files[i] >= 0) dup2(launch->files[i], i);
  execvp(launch->program[0], launch->program);
  int error = errno;
  while (write(failure, &error, sizeof error) < 0 && errno == EINTR)
    ;
  _exit(STATUS_NOT_FOUND);
}

/* Bytes read from a pipe: 0 when its other end was closed. */
static ssize_t read_pipe(int descriptor, void *data, size_t bytes) {
  ssize_t got;
  while ((got = read(descriptor, data, bytes)) < 0 && errno == EINTR)
    ;
  return got;
}

/* Without a word from us, as when we have been killed, it does not run. */
static void wait_at_gate(int gate) {
  char go;
  if (read_pipe(gate, &go, sizeof go) != sizeof go) _exit(STATUS_OURS);
}

static void close_pipe(int ends[2]) {
  int error = errno;
  close(ends[0]);
  close(ends[1]);
  errno = error;
}

static int open_pipes(int gate[2], int failure[2]) {
  if (pipe2(gate, O_CLOEXEC)) return -1;
  if (pipe2(failure, O_CLOEXEC) == 0) return 0;
  close_pipe(gate);
  return -1;
}

int launch_hold(const struct launch *launch, struct launched *launched) {
  int gate[2], failure[2];
  struct sigaction old[PASSED_ON];
  if (open_pipes(gate, failure)) return -1;
  handle_signals(old);
  pid_t pid = fork();
  if (pid < 0) {
    close_pipe(gate);
    close_pipe(failure);
    return -1;
  }
  if (pid == 0) {
    close(gate[1]);
    close(failure[0]);
    wait_at_gate(gate[0]);
    become_program(launch, old, failure[1]);
  }
  child_pid = pid;
  close(gate[0]);
  close(failure[1]);
  *launched = (struct launched){pid, gate[1], failure[0]};
  return 0;
}

/* What ends us while the program runs (memory.h) does not end what runs us: that waits for the
 * program, and its status. */
static void end_with_program(void) {
  int status;
  pid_t pid = (pid_t)child_pid;
  if (pid <= 0) return;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return;
  fflush(NULL);
  _exit(launch_end_as(status));
}

int launch_release(struct launched *launched) {
  int error = 0, status;
  /* SIGPIPE would be the end of us, should the process have been killed. */
  void (*old)(int) = signal(SIGPIPE, SIG_IGN);
  while (write(launched->gate, "", 1) < 0 && errno == EINTR)
    ;
  signal(SIGPIPE, old);
  close(launched->gate);
  ssize_t got = read_pipe(launched->failure, &error, sizeof error);
  close(launched->failure);
  if (got != sizeof error) return atexit(end_with_program);
  launch_wait(launched, &status);
  errno = error;
  return -1;
}

void launch_abandon(struct launched *launched) {
  int status;
  close(launched->gate);
  close(launched->failure);
  launch_wait(launched, &status);
}

bool launch_ends_within(const struct launched *launched, uint64_t ns) {
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, launched->pid, 0), .events = POLLIN};
  uint64_t ms = ns / 1000000;
  if (end.fd < 0) return true; /* nothing is known: nothing is to be said */
  int ready = poll(&end, 1, ms > INT_MAX ? INT_MAX : (int)ms);
  close(end.fd);
  return ready != 0;
}

int launch_wait(struct launched *launched, int *status) {
  while (waitpid(launched->pid, status, 0) < 0)
    if (errno != EINTR) return -1;
  child_pid = 0;
  return 0;
}

void launch_pass_on_to(pid_t pid) {
  child_pid = pid;
}

int launch_run(const struct launch *launch, int *status) {
  struct launched launched;
  if (launch_hold(launch, &launched) || launch_release(&launched)) return -1;
  return launch_wait(&launched, status);
}

int launch_failed(const char *program) {
  int error = errno;
  bool asks = strcmp(program, "help") == 0;
  const char *advice = asks               ? "; options are shown by ascribe record --help"
                       : error == ENOENT  ? "; is the path right?"
                       : error == EACCES  ? "; is it executable (chmod +x)?"
                       : error == ENOEXEC ? "; a script needs a first line like #!/bin/sh"
                                          : "";
  fprintf(stderr, "ascribe: cannot start %s: %s%s\n", program, strerror(error), advice);
  return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
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
