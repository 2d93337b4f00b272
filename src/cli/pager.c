#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_EXECUTABLE = 126 }; /* the shell's statuses */

/* In one of the directories of $PATH. */
static int is_installed(const char *program) {
  const char *path = getenv("PATH");
  char file[4096];
  for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
    int length = (int)strcspn(path, ":");
    int bytes = snprintf(file, sizeof file, "%.*s/%s", length, path, program);
    if (bytes < (int)sizeof file && access(file, X_OK) == 0) return 1;
  }
  return 0;
}

/* Null: none. */
static const char *choose_command(void) {
  const char *command = getenv("ASCRIBE_PAGER");
  if (!command) command = getenv("PAGER");
  if (!command) return is_installed("less") ? "less -FRX" : NULL;
  return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static void run(const char *command, int input) {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  setenv("LESS", "FRX", 0); /* where the user has no wishes of his own */
  if (dup2(input, STDIN_FILENO) >= 0) execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(NOT_FOUND);
}

/* Its reader leaves when the user does, and Ctrl-C is for the reader. */
static void ignore_signals(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN);
}

static int redirect(struct pager *pager, const int ends[2]) {
  pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (pager->terminal < 0) return -1;
  pager->process = fork();
  if (pager->process == 0) run(pager->command, ends[0]);
  if (pager->process > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) return 0;
  close(pager->terminal);
  return -1;
}

void pager_open(struct pager *pager) {
  int ends[2];
  *pager = (struct pager){.command = choose_command()};
  if (!isatty(STDOUT_FILENO) || fflush(stdout) != 0) pager->command = NULL;
  if (!pager->command || pipe2(ends, O_CLOEXEC) != 0) {
    pager->command = NULL;
    return;
  }
  if (redirect(pager, ends) != 0)
    pager->command = NULL;
  else
    ignore_signals();
  close(ends[0]);
  close(ends[1]);
}

int pager_close(struct pager *pager, struct error *error) {
  int status = 0;
  if (!pager->command) return 0;
  fflush(stdout);
  clearerr(stdout); /* it may have left before the end */
  dup2(pager->terminal, STDOUT_FILENO);
  close(pager->terminal);
  while (waitpid(pager->process, &status, 0) < 0 && errno == EINTR)
    continue;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (code != NOT_FOUND && code != NOT_EXECUTABLE) return 0;
  return error_set(error,
                   "the pager \"%s\" could not be run: set ASCRIBE_PAGER to another one, or to cat",
                   pager->command);
}
