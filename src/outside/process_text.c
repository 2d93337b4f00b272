#include "outside/process_text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/living_thread.h"
#include "base/memory.h"

enum { COMMAND_MOST = 64 << 10 };

/* The begin of a file, which may be shorter. Bytes read, zero-terminated; 0 on failure. */
static size_t read_text(const char *path, char *text, size_t room) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  size_t length = 0;
  ssize_t got = 0;
  while (file >= 0 && length < room - 1 && (got = read(file, text + length, room - 1 - length)) > 0)
    length += (size_t)got;
  if (file >= 0) close(file);
  text[length] = '\0';
  return length;
}

void process_text_thread(uint32_t pid, uint32_t tid, char name[17]) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/task/%u/comm", pid, tid);
  size_t length = read_text(path, name, 17);
  if (length && name[length - 1] == '\n') name[length - 1] = '\0';
}

/* Its arguments, joined with blanks; null where it has none (any more). */
static char *read_command(uint32_t pid) {
  char path[64];
  char *text = memory_resized(NULL, COMMAND_MOST, 1);
  snprintf(path, sizeof path, "/proc/%u/cmdline", living_thread(pid));
  size_t length = read_text(path, text, COMMAND_MOST);
  for (size_t i = 0; i + 1 < length; i++)
    if (!text[i]) text[i] = ' ';
  char *command = length ? memory_text(text) : NULL;
  free(text);
  return command;
}

static char *read_link(uint32_t pid, const char *name) {
  char path[64], target[PATH_MAX];
  snprintf(path, sizeof path, "/proc/%u/%s", living_thread(pid), name);
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0) return NULL;
  target[length] = '\0';
  return memory_text(target);
}

/* The real one: that of whoever started a setuid program. */
static uint32_t read_owner(uint32_t id) {
  char path[64], text[4096];
  uint32_t owner = 0;
  snprintf(path, sizeof path, "/proc/%u/status", id);
  if (!read_text(path, text, sizeof text)) return 0;
  const char *line = strstr(text, "\nUid:");
  return line && sscanf(line, "\nUid: %u", &owner) == 1 ? owner + 1 : 0;
}

void process_text_read(struct process_image *image) {
  char name[17];
  char *command = read_command(image->pid);
  process_text_thread(image->pid, image->pid, name);
  if (!image->name[0]) memcpy(image->name, name, sizeof name);
  if (strcmp(name, image->name) != 0) {
    free(command);
    return;
  }
  image->command = command;
  image->owner = read_owner(image->pid);
  image->directory = read_link(image->pid, "cwd");
}

uint32_t process_text_group(uint32_t id) {
  char path[64], text[4096];
  uint32_t group = 0;
  snprintf(path, sizeof path, "/proc/%u/status", id);
  if (!read_text(path, text, sizeof text)) return 0;
  const char *line = strstr(text, "\nTgid:");
  return line && sscanf(line, "\nTgid: %u", &group) == 1 ? group : 0;
}
