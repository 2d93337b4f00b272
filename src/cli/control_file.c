#include "cli/control_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/living_thread.h"

void control_set(struct recording_control *control, const struct control_span *span) {
  uint64_t begin =
      span->delay_ns || span->duration_ns ? clock_ns(CLOCK_MONOTONIC) + span->delay_ns : 0;
  uint64_t end = span->duration_ns ? begin + span->duration_ns : CONTROL_NEVER;
  /* The end first: no moment looks like more than was asked for, before or now. */
  __atomic_store_n(&control->end_ns, end, __ATOMIC_RELAXED);
  __atomic_store_n(&control->begin_ns, span->stopped ? CONTROL_NEVER : begin, __ATOMIC_RELAXED);
}

static struct recording_control *map_file(int file) {
  void *map =
      mmap(NULL, sizeof(struct recording_control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return map == MAP_FAILED ? NULL : map;
}

int control_create(const char *directory, const struct control_span *span,
                   struct recording_control **control, struct error *error) {
  char path[PATH_MAX];
  struct recording_control fresh = {.magic = CONTROL_MAGIC};
  control_set(&fresh, span);
  if (snprintf(path, sizeof path, "%s/" CONTROL_NAME, directory) >= (int)sizeof path)
    return error_set(error, "%s: the path is too long", directory);
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct recording_control *map = NULL;
  void (*old)(int) = signal(SIGXFSZ, SIG_IGN); /* ulimit -f */
  if (file >= 0 && pwrite(file, &fresh, sizeof fresh, 0) == sizeof fresh) map = map_file(file);
  int reason = errno;
  signal(SIGXFSZ, old);
  if (file >= 0) close(file);
  if (map) *control = map;
  return map ? 0 : error_set(error, "cannot make %s: %s", path, strerror(reason));
}

/* ---- the recording of a process ---- */

static bool is_control(const char *name) {
  return strncmp(name, CONTROL_NAME, strlen(CONTROL_NAME)) == 0;
}

/* Or of a recording: with ASCRIBE_OUT there may be no control file. */
static bool is_of_recording(const char *name) {
  return is_control(name) || strstr(name, RECORDING_SUFFIX);
}

/* The path in a line of /proc/PID/maps, without newline, if the line maps such a file. */
static char *path_of(char *line, bool (*wanted)(const char *name)) {
  char *path = strchr(line, '/');
  if (!path) return NULL;
  path[strcspn(path, "\n")] = '\0';
  return wanted(strrchr(path, '/') + 1) ? path : NULL;
}

static int find_path(pid_t pid, bool (*wanted)(const char *name), char path[PATH_MAX],
                     struct error *error) {
  char maps_name[64], *line = NULL, *found = NULL;
  size_t room = 0;
  snprintf(maps_name, sizeof maps_name, "/proc/%u/maps", living_thread((uint32_t)pid));
  FILE *maps = fopen(maps_name, "re");
  if (!maps && errno == ENOENT) return error_set(error, "there is no process %d", (int)pid);
  if (!maps)
    return error_set(error,
                     "process %d cannot be inspected: %s; it belongs to another user, or has "
                     "dropped or gained privileges%s",
                     (int)pid, strerror(errno), geteuid() == 0 ? "" : ": try as root");
  while (!found && getline(&line, &room, maps) > 0)
    found = path_of(line, wanted);
  bool fits = found && snprintf(path, PATH_MAX, "%s", found) < PATH_MAX;
  free(line);
  fclose(maps);
  if (fits) return 0;
  return error_set(error,
                   "process %d is not being recorded: start it with `ascribe record`, or "
                   "with ASCRIBE_OUT=DIR in its environment",
                   (int)pid);
}

bool control_is_there(pid_t pid) {
  char path[PATH_MAX];
  struct error error;
  return find_path(pid, is_control, path, &error) == 0;
}

int control_directory(pid_t pid, char directory[PATH_MAX], struct error *error) {
  char path[PATH_MAX];
  struct stat status;
  if (find_path(pid, is_of_recording, path, error) != 0) return -1;
  *strrchr(path, '/') = '\0';
  snprintf(directory, PATH_MAX, "%s", path);
  if (stat(directory, &status) == 0 && S_ISDIR(status.st_mode)) return 0;
  int length = snprintf(directory, PATH_MAX, "/proc/%u/root%s", living_thread((uint32_t)pid), path);
  if (length < PATH_MAX && stat(directory, &status) == 0 && S_ISDIR(status.st_mode)) return 0;
  return error_set(error,
                   "the recording that process %d took part in has ended, and its profile was "
                   "saved by `ascribe record`",
                   (int)pid);
}

/* The path is one of the process's own root, which may be another one than ours. */
static int open_path(pid_t pid, const char *path) {
  char inside[PATH_MAX + 32];
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file >= 0) return file;
  snprintf(inside, sizeof inside, "/proc/%u/root%s", living_thread((uint32_t)pid), path);
  return open(inside, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/* ---- whether it has a clock ---- */

static bool read_header(int directory, const char *name, struct recording_header *header) {
  size_t length = strlen(name), suffix = strlen(RECORDING_SUFFIX);
  if (length <= suffix || strcmp(name + length - suffix, RECORDING_SUFFIX) != 0) return false;
  int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  bool whole =
      pread(file, header, sizeof *header, 0) == sizeof *header && header->magic == RECORDING_MAGIC;
  close(file);
  return whole;
}

/* False only if there are processes, and none has ticks. */
static bool may_have_ticks(const char *control_path) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.*s", (int)(strrchr(control_path, '/') - control_path),
           control_path);
  DIR *directory = opendir(path);
  if (!directory) return true;
  bool any = false, ticks = false;
  struct recording_header header;
  for (struct dirent *entry; !ticks && (entry = readdir(directory));) {
    if (!read_header(dirfd(directory), entry->d_name, &header)) continue;
    any = true;
    ticks = header.tick_source == TICK_PERF || header.tick_source == TICK_TIMER ||
            header.tick_source == TICK_EVENT;
  }
  closedir(directory);
  return ticks || !any;
}

int control_find(pid_t pid, struct recording_control **control, struct error *error) {
  char path[PATH_MAX];
  struct stat status;
  if (find_path(pid, is_control, path, error) != 0) return -1;
  int file = open_path(pid, path);
  if (file < 0)
    return error_set(error, "%s, which process %d records to, cannot be opened: %s", path, (int)pid,
                     strerror(errno));
  struct recording_control *map = NULL;
  if (fstat(file, &status) == 0 && status.st_size >= (off_t)sizeof *map) map = map_file(file);
  close(file);
  if (!map || map->magic != CONTROL_MAGIC)
    return error_set(error, "%s is not a control file of this version of Ascribe", path);
  if (!may_have_ticks(path))
    return error_set(error,
                     "process %d takes no ticks (--rate 0 or --clock tsc), so it cannot notice "
                     "that it should start or stop",
                     (int)pid);
  *control = map;
  return 0;
}
