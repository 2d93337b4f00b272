#include "cli/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/launch.h"
#include "recording/layout.h"

/* Not one of the three that a program may find closed. */
static int high_descriptor(int descriptor) {
  int high = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (descriptor >= 0) close(descriptor);
  return high;
}

/* ---- the terminal ---- */

/* It goes with the last who has it open. In memory where the file system has no unnamed files. */
static int open_unnamed(void) {
  const char *parent = secure_getenv("TMPDIR");
  int file =
      open(parent && *parent ? parent : "/tmp", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) file = memfd_create("output of the program", MFD_CLOEXEC);
  if (file < 0 || fcntl(file, F_SETFL, O_APPEND) != 0)
    fprintf(stderr, "ascribe: the program writes across the display: %s\n", strerror(errno));
  return high_descriptor(file);
}

/* In the background a change would stop us. */
static bool in_foreground(void) {
  return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void note_settings(struct beside *beside) {
  beside->has_terminal = in_foreground() && tcgetattr(STDIN_FILENO, &beside->settings) == 0;
}

/* Work that was killed could not do that. */
static void restore_settings(const struct beside *beside) {
  if (beside->has_terminal && in_foreground())
    tcsetattr(STDIN_FILENO, TCSADRAIN, &beside->settings);
}

static void take_terminal(struct beside *beside) {
  if (isatty(STDIN_FILENO))
    beside->files[0] = high_descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
    if (!isatty(i)) continue;
    int other = i == STDERR_FILENO ? beside->files[STDOUT_FILENO] : -1;
    beside->files[i] = other >= 0 ? other : open_unnamed();
  }
}

static void show_written(int file) {
  char piece[4096];
  off_t at = 0;
  ssize_t got;
  while ((got = pread(file, piece, sizeof piece, at)) > 0) {
    at += got;
    fwrite(piece, 1, (size_t)got, stdout);
  }
  fflush(stdout);
}

static void give_terminal_back(struct beside *beside) {
  if (beside->files[0] >= 0) close(beside->files[0]);
  for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
    int file = beside->files[i];
    if (file < 0 || (i == STDERR_FILENO && file == beside->files[STDOUT_FILENO])) continue;
    show_written(file);
    close(file);
  }
  for (int i = 0; i < 3; i++)
    beside->files[i] = -1;
}

/* ---- the work ---- */

static _Noreturn void do_work(const struct beside_work *work, const char *directory,
                              struct recording_control *control, int end, pid_t parent) {
  if (control) munmap(control, sizeof *control);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
  work->show(work->context, directory, end);
  fflush(NULL);
  _exit(0);
}

void beside_begin(const struct beside_work *work, const char *directory,
                  struct recording_control *control, struct beside *beside) {
  int ends[2];
  pid_t parent = getpid();
  *beside = (struct beside){.end = -1, .files = {-1, -1, -1}};
  if (!work || pipe2(ends, O_CLOEXEC) != 0) return;
  for (int i = 0; i < 2; i++)
    ends[i] = high_descriptor(ends[i]);
  fflush(NULL);
  if (work->owns_terminal) note_settings(beside);
  pid_t pid = ends[0] < 0 || ends[1] < 0 ? -1 : fork();
  if (pid == 0) {
    close(ends[1]);
    do_work(work, directory, control, ends[0], parent);
  }
  if (ends[0] >= 0) close(ends[0]);
  if (pid < 0) {
    fprintf(stderr, "ascribe: nothing is shown while the program runs: %s\n", strerror(errno));
    if (ends[1] >= 0) close(ends[1]);
    return;
  }
  beside->pid = pid;
  beside->end = ends[1];
  if (work->owns_terminal) take_terminal(beside);
}

static void wait_for(struct beside *beside) {
  int status = 0;
  if (beside->end >= 0) close(beside->end);
  beside->end = -1;
  while (beside->pid && waitpid(beside->pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(status)) restore_settings(beside);
  beside->pid = 0;
}

void beside_note_end(const struct beside_work *work, struct beside *beside) {
  if (work && !work->until_saved) wait_for(beside);
  give_terminal_back(beside);
}

void beside_finish(struct beside *beside) {
  if (beside->pid) launch_pass_on_to(beside->pid);
  wait_for(beside);
  launch_pass_on_to(0);
}
