#include "cli/live_recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attribution/recorded/normalise.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/living_thread.h"
#include "base/memory.h"
#include "cli/control_file.h"
#include "cli/left_running.h"
#include "outside/waits.h"
#include "recording/reader.h"

struct live_recording {
  char directory[PATH_MAX];
  struct symbols *symbols; /* of all objects met so far */
  int end;
  bool own_end;        /* to be closed */
  uint32_t pid;        /* of which the end is waited for; 0: none */
  struct waits *waits; /* null: nobody looks at threads that wait */
};

struct live_recording *live_open(const char *directory, int end) {
  struct live_recording *live = memory_zeroed(1, sizeof *live);
  snprintf(live->directory, sizeof live->directory, "%s", directory);
  live->symbols = symbols_create();
  live->end = end;
  return live;
}

int live_open_process(pid_t pid, struct live_recording **live, struct error *error) {
  char directory[PATH_MAX];
  int end = (int)syscall(SYS_pidfd_open, pid, 0); /* first: then it is of the process found below */
  if (control_directory(pid, directory, error) != 0) {
    if (end >= 0) close(end);
    return -1;
  }
  *live = live_open(directory, end);
  (*live)->own_end = end >= 0;
  (*live)->pid = (uint32_t)pid;
  return 0;
}

int live_look(struct live_recording *live, uint32_t rate_hz, struct error *error) {
  descriptors_allow();
  return waits_open(live->directory, NULL, rate_hz, &live->waits, error);
}

void live_close(struct live_recording *live) {
  if (!live) return;
  waits_close(live->waits);
  if (live->own_end) close(live->end);
  symbols_free(live->symbols);
  free(live);
}

/* ---- turns ---- */

static uint64_t less(uint64_t whole, uint64_t part) {
  return part < whole ? whole - part : 0;
}

static uint64_t age_of(const struct recording *recording) {
  return less(clock_ns(CLOCK_REALTIME), recording->processes[0].header.started_ns);
}

/* Whether a process has written the begin of its file in the directory. */
static bool any_begun(const char *path) {
  DIR *directory = opendir(path);
  if (!directory) return true; /* it is gone */
  uint64_t magic = 0;
  for (struct dirent *entry; !magic && (entry = readdir(directory));) {
    if (!strstr(entry->d_name, RECORDING_SUFFIX)) continue;
    int file =
        openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    if (pread(file, &magic, sizeof magic, 0) != sizeof magic) magic = 0;
    close(file);
  }
  closedir(directory);
  return magic;
}

int live_turn(struct live_recording *live, struct live_turn *turn, struct error *error) {
  struct recording *recording;
  uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  *turn = (struct live_turn){.at_ns = clock_ns(CLOCK_MONOTONIC)};
  if (!any_begun(live->directory)) return 0;
  if (recording_open(live->directory, &recording, NULL, error) != 0) return -1;
  turn->age_ns = age_of(recording);
  note_running(recording);
  if (live->waits) waits_tell(live->waits, recording);
  symbols_refresh_jit(live->symbols);
  profile_from_live_recording(recording, live->symbols, &turn->profile);
  recording_close(recording);
  turn->cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
  return 0;
}

uint64_t live_next_ns(const struct live_turn *turn, uint64_t interval_ns, uint64_t cost_ns) {
  enum { PART = 10 };
  return turn->at_ns + (cost_ns * PART > interval_ns ? cost_ns * PART : interval_ns);
}

/* ---- the end ---- */

/* Kernels before 5.3 do not tell of it: look a few times a second. */
static int most_ms(const struct live_recording *live, uint64_t ns) {
  enum { LOOK_MS = 250 };
  uint64_t ms = ns / 1000000 + (ns % 1000000 != 0);
  if (live->end < 0 && live->pid && ms > LOOK_MS) ms = LOOK_MS;
  return ms > INT_MAX ? INT_MAX : (int)ms;
}

static bool is_gone(const struct live_recording *live) {
  return live->end < 0 && live->pid && thread_has_ended(live->pid, living_thread(live->pid));
}

static bool any_has(const struct pollfd *others, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (others[i].revents) return true;
  return false;
}

bool live_wait(const struct live_recording *live, uint64_t until_ns, struct pollfd *others,
               size_t count) {
  enum { OTHERS_MOST = 4 };
  struct pollfd watched[1 + OTHERS_MOST] = {{.fd = live->end, .events = POLLIN}};
  if (count > OTHERS_MOST) count = OTHERS_MOST;
  for (;;) {
    uint64_t look_ns = live->waits ? waits_look(live->waits) : UINT64_MAX;
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), left = less(until_ns, now_ns);
    uint64_t wait_ns = look_ns < until_ns ? less(look_ns, now_ns) : left;
    if (count) memcpy(watched + 1, others, count * sizeof *others);
    int ready = poll(watched, 1 + count, most_ms(live, wait_ns));
    if (ready < 0 && errno == EINTR) continue;
    if (count) memcpy(others, watched + 1, count * sizeof *others);
    if (watched[0].revents || is_gone(live)) return true;
    if (any_has(others, count) || left == 0 || ready < 0) return false;
  }
}
