/* perf.data: perf itself reads it, which knows all versions of the format and finds the symbols. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange/import_formats.h"

extern char **environ;

struct perf_process {
  pid_t pid;
  int output;   /* what it prints */
  int messages; /* a file in memory with what it complains about */
};

static int start_perf(struct perf_process *perf, const char *path, struct error *error) {
  int pipe_ends[2];
  char *arguments[] = {"perf", "script",     "--header", "--show-lost-events", "-F", "+pid",
                       "-i",   (char *)path, NULL};
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    return error_set(error, "cannot run perf: %s", strerror(errno));
  perf->messages = memfd_create("messages of perf", MFD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  if (perf->messages >= 0)
    posix_spawn_file_actions_adddup2(&actions, perf->messages, STDERR_FILENO);
  int failure = posix_spawnp(&perf->pid, "perf", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  perf->output = pipe_ends[0];
  if (failure == 0) return 0;
  close(perf->output);
  close(perf->messages);
  if (failure == ENOENT)
    return error_set(error,
                     "%s is a recording of perf; reading it needs perf, which is not installed "
                     "(Debian: linux-perf)",
                     path);
  return error_set(error, "cannot run perf: %s", strerror(failure));
}

/* The first line that perf wrote to standard error, or "". */
static void first_message(int descriptor, char *text, size_t room) {
  ssize_t count = pread(descriptor, text, room - 1, 0);
  text[count > 0 ? count : 0] = '\0';
  char *start = text + strspn(text, "\n ");
  memmove(text, start, strlen(start) + 1);
  text[strcspn(text, "\n")] = '\0';
}

/* 0 if perf has read everything. */
static int end_perf(struct perf_process *perf, const char *path, struct error *error) {
  int status;
  char message[300] = "";
  while (waitpid(perf->pid, &status, 0) < 0)
    if (errno != EINTR) return error_set(error, "lost sight of perf: %s", strerror(errno));
  first_message(perf->messages, message, sizeof message);
  close(perf->messages);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  return error_set(error, "%s: perf script cannot read it: %s", path,
                   message[0] ? message : "no reason given");
}

static int read_perf_data(struct input *input, const struct import_options *options,
                          struct profile **profile, struct error *error) {
  struct perf_process perf;
  struct input text;
  struct error perf_error;
  if (input->descriptor == STDIN_FILENO || strcmp(input->name, "standard input") == 0)
    return error_set(error, "a recording of perf cannot come from a pipe: name the file");
  if (start_perf(&perf, input->name, error) != 0) return -1;
  input_from_descriptor(&text, "output of perf script", perf.output);
  int result = import_perf_script.read(&text, options, profile, error);
  input_close(&text);
  /* What perf says is nearer to the cause. */
  if (end_perf(&perf, input->name, &perf_error) == 0) return result;
  if (result == 0) profile_free(*profile);
  *error = perf_error;
  return -1;
}

static bool matches(const char *start, size_t count) {
  return count >= 8 && (memcmp(start, "PERFILE2", 8) == 0 || memcmp(start, "PERFFILE", 8) == 0);
}

const struct import_format import_perf_data = {
    .name = "perf", .words = "a recording of perf", .matches = matches, .read = read_perf_data};
