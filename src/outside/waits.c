#include "outside/waits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "outside/look_rate.h"
#include "outside/result.h"
#include "outside/waiting_process.h"

#define SECOND 1000000000ull
#define SCAN_EVERY 10000000ull /* ns between two looks for threads, of few processes */
#define SCANNED_AT_ONCE 8      /* processes: with more, the less often */
#define JUST_NOW (SECOND / 50) /* times of files are only as good as the kernel's own ticks */
#define LOOKS_TOGETHER 4       /* this part of a period: what is due by then is done at once */

struct waits {
  int directory;
  const struct recording_control *control;
  struct process_tree tree;
  struct waiting_process *processes;
  size_t count;
  size_t live; /* that have not ended */
  struct hash_index known;
  struct timespec changed; /* of the directory, when it was read last */
  uint64_t scan_ns;        /* when to look for processes and threads again */
  struct look_rate rate;
  bool paused;             /* ever */
  uint64_t began_ns;       /* our own CPU time when it began */
  uint64_t used_ns;        /* since then; a child of ours tells, which has a clock of its own */
  struct seen_waits *told; /* by process */
};

int waits_open(const char *directory, const struct recording_control *control, uint32_t rate_hz,
               struct waits **waits, struct error *error) {
  if (waiting_thread_countable(error)) return -1;
  int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return error_set(error, "cannot look at %s: %s", directory, strerror(errno));
  struct waits *made = memory_zeroed(1, sizeof *made);
  process_tree_open(&made->tree);
  made->directory = descriptor;
  made->control = control;
  made->began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  look_rate_start(&made->rate, rate_hz, clock_ns(CLOCK_MONOTONIC), made->began_ns);
  *waits = made;
  return 0;
}

void waits_close(struct waits *waits) {
  if (!waits) return;
  for (size_t i = 0; i < waits->count; i++)
    waiting_process_close(&waits->processes[i]);
  free(waits->processes);
  free(waits->told);
  hash_index_free(&waits->known);
  process_tree_close(&waits->tree);
  close(waits->directory);
  free(waits);
}

/* ---- processes ---- */

struct name {
  uint32_t pid, sequence;
};

static uint64_t name_hash(struct name name) {
  return hash_mix((uint64_t)name.pid << 32 | name.sequence);
}

static int is_named(const void *processes, uint32_t index, const void *key) {
  const struct waiting_process *process = (const struct waiting_process *)processes + index;
  const struct name *name = key;
  return process->pid == name->pid && process->sequence == name->sequence;
}

static struct waiting_process *find_process(const struct waits *waits, struct name name) {
  uint32_t index =
      hash_index_find(&waits->known, name_hash(name), is_named, waits->processes, &name);
  return index == HASH_INDEX_NONE ? NULL : &waits->processes[index];
}

static void end_process(struct waits *waits, struct waiting_process *process) {
  if (process->file < 0) return;
  waiting_process_close(process);
  waits->live--;
}

/* The process runs another program now: its threads are no longer that one's. */
static void end_earlier(struct waits *waits, struct name name) {
  while (name.sequence-- > 0) {
    struct waiting_process *earlier = find_process(waits, name);
    if (earlier) end_process(waits, earlier);
  }
}

static void see_file(struct waits *waits, const char *file) {
  struct name name;
  if (!waiting_process_name(file, &name.pid, &name.sequence) || find_process(waits, name)) return;
  ARRAY_GROW(waits->processes, waits->count);
  struct waiting_process *process = &waits->processes[waits->count];
  if (waiting_process_open(process, waits->directory, file, &waits->tree)) {
    waits->changed = (struct timespec){0}; /* to be tried again */
    return;
  }
  hash_index_add(&waits->known, name_hash(name), (uint32_t)waits->count);
  if (process->file >= 0) waits->live++;
  waits->count++;
  end_earlier(waits, name);
}

/* Files that were made since the directory was read change its time, but for those of the same tick
 * of the kernel. */
static bool has_changed(struct waits *waits) {
  struct stat status;
  if (fstat(waits->directory, &status)) return false;
  struct timespec before = waits->changed;
  waits->changed = status.st_mtim;
  uint64_t changed = (uint64_t)status.st_mtim.tv_sec * SECOND + (uint64_t)status.st_mtim.tv_nsec;
  return before.tv_sec != status.st_mtim.tv_sec || before.tv_nsec != status.st_mtim.tv_nsec ||
         clock_ns(CLOCK_REALTIME) - changed < JUST_NOW;
}

static void read_directory(struct waits *waits) {
  int copy = openat(waits->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = copy < 0 ? NULL : fdopendir(copy);
  if (!directory) {
    if (copy >= 0) close(copy);
    return;
  }
  for (struct dirent *entry; (entry = readdir(directory));)
    see_file(waits, entry->d_name);
  closedir(directory);
}

static void scan(struct waits *waits, uint64_t now_ns) {
  if (has_changed(waits)) read_directory(waits);
  for (size_t i = 0; i < waits->count; i++) {
    struct waiting_process *process = &waits->processes[i];
    if (process->file < 0) continue;
    if (waiting_process_has_ended(process))
      end_process(waits, process);
    else
      waiting_process_scan(process, &waits->tree, now_ns);
  }
  waits->scan_ns = now_ns + SCAN_EVERY * (1 + waits->live / SCANNED_AT_ONCE);
}

/* ---- looks ---- */

static bool is_paused(const struct waits *waits, uint64_t now_ns) {
  if (!waits->control) return false;
  return now_ns < __atomic_load_n(&waits->control->begin_ns, __ATOMIC_RELAXED) ||
         now_ns >= __atomic_load_n(&waits->control->end_ns, __ATOMIC_RELAXED);
}

/* When the next of the threads that are left is due. */
static uint64_t look_at_due(struct waits *waits, uint64_t now_ns) {
  uint64_t next_ns = UINT64_MAX;
  bool counts = !is_paused(waits, now_ns);
  waits->paused |= !counts;
  for (size_t i = 0; i < waits->count; i++) {
    struct waiting_process *process = &waits->processes[i];
    for (size_t k = 0; k < process->threads.count; k++) {
      struct waiting_thread *thread = &process->threads.list[k];
      if (thread->statistics < 0) continue;
      if (thread->due_ns <= now_ns) {
        waiting_thread_look(thread, process->image, waits->tree.stack, &waits->rate, counts,
                            &process->sums);
      }
      if (thread->due_ns < next_ns) next_ns = thread->due_ns;
    }
  }
  return next_ns;
}

/* `now_ns` and the result are of CLOCK_MONOTONIC: when it is due again. */
static uint64_t look(struct waits *waits, uint64_t now_ns) {
  if (now_ns >= waits->scan_ns) scan(waits, now_ns);
  uint64_t next_ns = look_at_due(waits, now_ns);
  if (waits->scan_ns < next_ns) next_ns = waits->scan_ns;
  uint64_t least_ns = now_ns + waits->rate.period_ns / LOOKS_TOGETHER;
  return next_ns < least_ns ? least_ns : next_ns;
}

static void judge(struct waits *waits, uint64_t now_ns, uint64_t used_ns) {
  waits->used_ns = used_ns;
  look_rate_judge(&waits->rate, now_ns, waits->began_ns + used_ns);
}

uint64_t waits_look(struct waits *waits) {
  uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), now_ns = clock_ns(CLOCK_MONOTONIC);
  uint64_t next_ns = look(waits, now_ns);
  judge(waits, now_ns, waits->used_ns + clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
  return next_ns;
}

int waits_watch(struct waits *waits, int descriptor, uint64_t duration_ns) {
  struct pollfd polled = {.fd = descriptor, .events = POLLIN};
  uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
  for (;;) {
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (now_ns - began_ns >= duration_ns) return -1;
    uint64_t next_ns = look(waits, now_ns);
    judge(waits, now_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - waits->began_ns);
    now_ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t wait_ns = next_ns > now_ns ? next_ns - now_ns : 0;
    struct timespec timeout = {(time_t)(wait_ns / SECOND), (long)(wait_ns % SECOND)};
    if (ppoll(&polled, 1, &timeout, NULL) > 0) return 0;
  }
}

/* ---- what was seen ---- */

static struct seen_waits seen_in(struct waits *waits, const struct waiting_process *process) {
  const struct wait_sums *sums = &process->sums;
  return (struct seen_waits){.seen = result_of_image(process->image),
                             .looked_ns = sums->looked_ns,
                             .ran_ns = sums->ran_ns,
                             .ready_ns = sums->ready_ns,
                             .paused = waits->paused,
                             .refused = sums->refused};
}

void waits_tell(struct waits *waits, struct recording *recording) {
  if (recording->process_count) recording->processes[0].header.recorder_ns = waits->used_ns;
  scan(waits, clock_ns(CLOCK_MONOTONIC));
  free(waits->told);
  waits->told = memory_zeroed(waits->count, sizeof *waits->told);
  for (size_t i = 0; i < recording->process_count; i++) {
    struct process_recording *process = &recording->processes[i];
    struct waiting_process *seen =
        find_process(waits, (struct name){process->header.pid, process->sequence});
    if (!seen || !seen->image) continue;
    struct seen_waits *told = &waits->told[seen - waits->processes];
    *told = seen_in(waits, seen);
    told->seen.header.pid = process->header.pid;
    process->waits = told;
  }
}
