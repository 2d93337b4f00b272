#include "cli/left_running.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/living_thread.h"

bool has_mapped(uint32_t pid, const char *directory, bool hidden) {
  char path[64], *line = NULL;
  size_t room = 0;
  snprintf(path, sizeof path, "/proc/%u/maps", living_thread(pid));
  FILE *maps = fopen(path, "re");
  bool found = !maps && errno != ENOENT && hidden;
  while (maps && !found && getline(&line, &room, maps) > 0)
    found = strstr(line, directory) != NULL;
  free(line);
  if (maps) fclose(maps);
  return found;
}

/* In the kernel's own ticks since the machine started; 0: the process is gone. */
static unsigned long long start_of(uint32_t pid) {
  enum { FIELDS_BETWEEN = 19 }; /* from the state, the third field, to the 22nd */
  char path[64], text[1024] = "";
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  FILE *file = fopen(path, "re");
  size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[length] = '\0';
  const char *field = strrchr(text, ')'); /* a name may hold anything */
  for (int i = 0; field && i <= FIELDS_BETWEEN; i++)
    field = strchr(field + 1, ' ');
  return field ? strtoull(field, NULL, 10) : 0;
}

/* When the first process of the recording started, as start_of() tells it. */
static double start_of_recording(const struct recording *recording) {
  if (!recording->process_count) return 0;
  double age = clock_ns(CLOCK_REALTIME) / 1e9 - recording->processes[0].header.started_ns / 1e9;
  return (clock_ns(CLOCK_BOOTTIME) / 1e9 - age) * (double)sysconf(_SC_CLK_TCK) - 1;
}

/* It has the recording mapped as well; what is done apart (apart.h) is its child. */
static bool is_recorder(uint32_t pid) {
  return pid == (uint32_t)getpid() || pid == (uint32_t)getppid();
}

static bool note_recorded(struct recording *recording, uint32_t pid) {
  bool found = false;
  for (size_t i = 0; i < recording->process_count; i++) {
    struct process_recording *process = &recording->processes[i];
    if (process->header.pid != pid || process->end != PROCESS_END_UNKNOWN) continue;
    process->end = PROCESS_END_RUNNING;
    found = true;
  }
  return found;
}

void note_running(struct recording *recording) {
  for (size_t i = 0; i < recording->process_count; i++) {
    struct process_recording *process = &recording->processes[i];
    uint32_t pid = process->header.pid;
    if (process->end == PROCESS_END_UNKNOWN && !thread_has_ended(pid, living_thread(pid)))
      process->end = PROCESS_END_RUNNING;
  }
}

size_t left_running(struct recording *recording, const char *directory, uint32_t *pid) {
  double since = start_of_recording(recording);
  size_t count = 0;
  DIR *processes = opendir("/proc");
  for (const struct dirent *entry; processes && (entry = readdir(processes));) {
    uint32_t found = (uint32_t)strtoul(entry->d_name, NULL, 10);
    if (!found || is_recorder(found) || thread_has_ended(found, found)) continue;
    bool maps =
        directory && (double)start_of(found) >= since && has_mapped(found, directory, false);
    if (!note_recorded(recording, found) && !maps) continue;
    *pid = found;
    count++;
  }
  if (processes) closedir(processes);
  return count;
}
