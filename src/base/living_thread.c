#include "base/living_thread.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool thread_has_ended(uint32_t pid, uint32_t tid) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, tid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  /* "TID (NAME) STATE ...", where a name may hold anything. */
  const char *name_end = strrchr(text, ')');
  return !name_end || !name_end[1] || strchr("ZX", name_end[2]);
}

uint32_t living_thread(uint32_t pid) {
  char path[64];
  uint32_t found = 0;
  if (!thread_has_ended(pid, pid)) return pid;
  snprintf(path, sizeof path, "/proc/%u/task", pid);
  DIR *tasks = opendir(path);
  for (const struct dirent *task; tasks && !found && (task = readdir(tasks));) {
    uint32_t tid = (uint32_t)strtoul(task->d_name, NULL, 10);
    if (tid && !thread_has_ended(pid, tid)) found = tid;
  }
  if (tasks) closedir(tasks);
  return found ? found : pid;
}
