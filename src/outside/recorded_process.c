#include "outside/recorded_process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "base/clock.h"
#include "base/living_thread.h"

enum { LINE_BYTES = 256, SEARCH_EVERY = 50000000 /* ns */ };

/* 1: it has the file mapped; 0: not; negative errno: it cannot be seen. */
static int has_mapped(uint32_t pid, const struct stat *recording) {
  char path[64], *line = NULL;
  size_t room = 0;
  int found = 0;
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/maps", living_thread(pid));
  FILE *maps = fopen(path, "re");
  if (!maps) return -errno;
  while (!found && getline(&line, &room, maps) > 0) {
    unsigned major, minor;
    uint64_t inode;
    found = sscanf(line, "%*x-%*x %*s %*x %x:%x %" SCNu64, &major, &minor, &inode) == 3 &&
            inode == recording->st_ino && makedev(major, minor) == recording->st_dev;
  }
  free(line);
  fclose(maps);
  return found;
}

/* The last number of a field of /proc/PID/status; 0: the process is gone. */
static uint32_t status_number(const char *status_path, const char *field) {
  char line[LINE_BYTES];
  uint32_t number = 0;
  FILE *status = fopen(status_path, "re");
  while (status && fgets(line, sizeof line, status)) {
    if (strncmp(line, field, strlen(field)) != 0) continue;
    const char *last = strrchr(line, '\t');
    if (last) number = (uint32_t)strtoul(last + 1, NULL, 10);
    break;
  }
  if (status) fclose(status);
  return number;
}

/* In its own namespace, the innermost. */
static uint32_t own_id(const char *status_path) {
  return status_number(status_path, "NSpid:");
}

/* What a process has mapped cannot be seen; who its parent is, always. */
static bool is_child_of(uint32_t pid, uint32_t parent) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/status", pid);
  return parent && status_number(path, "PPid:") == parent;
}

static uint32_t number_of(const char *name) {
  char *end;
  unsigned long number = strtoul(name, &end, 10);
  return *end || number > INT32_MAX ? 0 : (uint32_t)number;
}

/* The next directory of a number in a directory of /proc whose own id is `own`, or 0. */
static uint32_t next_with(DIR *directory, const char *path, uint32_t own) {
  char status[LINE_BYTES];
  for (struct dirent *entry; (entry = readdir(directory));) {
    uint32_t id = number_of(entry->d_name);
    if (!id) continue;
    snprintf(status, sizeof status, "%s/%" PRIu32 "/status", path, id);
    if (own_id(status) == own) return id;
  }
  return 0;
}

/* A look at all processes is for those of other namespaces. Where none was found so far, those that
 * have ended before we came would make us look again and again. */
static bool may_search(bool found_before) {
  static uint64_t next_ns;
  uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  if (!found_before && now_ns < next_ns) return false;
  next_ns = now_ns + SEARCH_EVERY;
  return true;
}

uint32_t recorded_process_find(uint32_t pid, uint32_t parent, int recording) {
  struct stat status;
  if (fstat(recording, &status)) return 0;
  int found = has_mapped(pid, &status);
  if (found > 0 || ((found == -EACCES || found == -EPERM) && is_child_of(pid, parent))) return pid;
  static bool found_before;
  if (!may_search(found_before)) return RECORDED_PROCESS_LATER;
  DIR *all = opendir("/proc");
  uint32_t other = 0;
  while (all && (other = next_with(all, "/proc", pid)))
    if (other != pid && has_mapped(other, &status) > 0) break;
  if (all) closedir(all);
  found_before |= other != 0;
  return other;
}

uint32_t recorded_thread_find(uint32_t pid, uint32_t tid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", pid);
  DIR *threads = opendir(path);
  uint32_t found = threads ? next_with(threads, path, tid) : 0;
  if (threads) closedir(threads);
  return found;
}
