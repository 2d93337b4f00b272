#include "recording/process_ends.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

static uint64_t used(const struct recording_header *header) {
  return header->cpu_user_ns + header->cpu_system_ns;
}

/* Its parent, if it was forked, is told of by the first image only. */
static bool follows(const struct process_recording *next, const struct process_recording *image) {
  const struct recording_header *header = &image->header;
  return next->header.pid == header->pid && !next->header.is_fork &&
         image->end == PROCESS_END_UNKNOWN && next->header.started_ns >= header->updated_ns &&
         next->header.cpu_before_ns >= header->cpu_before_ns + used(header);
}

static uint64_t less(uint64_t whole, uint64_t part) {
  return part < whole ? whole - part : 0;
}

/* What a process used after the last look at its clock, by the ticks that its threads have had
 * since the last looks at theirs. */
static uint64_t ticked_since(const struct process_recording *process) {
  double by_threads_ns = 0;
  for (size_t i = 0; i < process->thread_count; i++) {
    const struct thread_entry *thread = &process->threads[i];
    by_threads_ns += (double)thread->cpu_ns + less(thread->ticked_ns, thread->cpu_ticked_ns);
  }
  bool damaged = by_threads_ns > (double)(INT64_MAX / 2);
  return damaged ? 0 : less((uint64_t)by_threads_ns, used(&process->header));
}

/* All in the kernel: where it was more than the little that exec takes, no tick had come. */
static void use_until(struct recording_header *header, uint64_t end_ns) {
  header->cpu_system_ns += end_ns - header->cpu_before_ns - used(header);
}

/* The counter of cycles ran on as the clock did. */
static void live_until(struct recording_header *header, uint64_t end_ns) {
  if (end_ns <= header->updated_ns) return;
  double lived =
      header->updated_ns > header->started_ns ? header->updated_ns - header->started_ns : 0;
  double cycles = lived > 0 ? (double)(header->tsc_updated - header->tsc_started) / lived : 0;
  header->updated_ns = end_ns;
  header->tsc_updated =
      header->tsc_started + (uint64_t)(cycles * (double)(end_ns - header->started_ns));
}

static int by_process(const void *left, const void *right) {
  const struct process_recording *a = *(struct process_recording *const *)left;
  const struct process_recording *b = *(struct process_recording *const *)right;
  if (a->header.pid != b->header.pid) return a->header.pid < b->header.pid ? -1 : 1;
  return a < b ? -1 : a > b;
}

void process_ends_find(struct recording *recording) {
  size_t count = recording->process_count;
  struct process_recording **images = memory_zeroed(count, sizeof *images);
  for (size_t i = 0; i < count; i++)
    images[i] = &recording->processes[i];
  qsort(images, count, sizeof *images, by_process);
  for (size_t i = 0; i + 1 < count; i++) {
    struct recording_header *header = &images[i]->header;
    if (!follows(images[i + 1], images[i])) continue;
    if (!header->paused_user_ns && !header->paused_system_ns)
      use_until(header, images[i + 1]->header.cpu_before_ns);
    live_until(header, images[i + 1]->header.started_ns);
    images[i]->end = PROCESS_END_EXEC;
  }
  free(images);
  for (size_t i = 0; i < count; i++) {
    struct process_recording *process = &recording->processes[i];
    if (process->end != PROCESS_END_UNKNOWN) continue;
    process->ticked_since_ns = ticked_since(process);
    process->header.cpu_user_ns += process->ticked_since_ns;
  }
}

void process_ends_child(struct recording *recording, uint32_t parent_pid, uint64_t end_ns,
                        int signal) {
  struct process_recording *last = NULL;
  for (size_t i = 0; i < recording->process_count; i++) {
    struct process_recording *process = &recording->processes[i];
    const struct recording_header *header = &process->header;
    if (header->parent_pid == parent_pid && process->end == PROCESS_END_UNKNOWN &&
        !header->is_fork && (!last || header->started_ns >= last->header.started_ns))
      last = process;
  }
  if (!last) return;
  live_until(&last->header, end_ns);
  if (signal <= 0) {
    /* A confined one could not tell of its end. */
    last->gone_on = !(last->header.hindrances & HINDRANCE_CONFINED);
    return;
  }
  last->end = PROCESS_END_SIGNAL;
  last->end_signal = signal;
}

/* It used all that no look at a clock has found. */
static void complete_only(struct process_recording *process, uint64_t missing_ns,
                          uint64_t system_ns) {
  struct recording_header *header = &process->header;
  header->cpu_user_ns -= process->ticked_since_ns;
  uint64_t in_kernel = system_ns < missing_ns ? system_ns : missing_ns;
  header->cpu_system_ns += in_kernel;
  header->cpu_user_ns += missing_ns - in_kernel;
}

/* Ticks tell of it up to chance: of no more than there was. */
static void limit_ticked(struct recording *recording, uint64_t ticked_ns, uint64_t missing_ns) {
  for (size_t i = 0; i < recording->process_count && ticked_ns > missing_ns; i++) {
    struct process_recording *process = &recording->processes[i];
    double part = (double)missing_ns / ticked_ns;
    process->header.cpu_user_ns -= process->ticked_since_ns;
    process->header.cpu_user_ns += (uint64_t)(part * process->ticked_since_ns);
  }
}

void process_ends_complete(struct recording *recording, uint64_t user_ns, uint64_t system_ns) {
  struct process_recording *open = NULL;
  uint64_t known = 0, known_system = 0, ticked = 0;
  size_t open_count = 0;
  bool paused = false;
  for (size_t i = 0; i < recording->process_count; i++) {
    struct process_recording *process = &recording->processes[i];
    const struct recording_header *header = &process->header;
    known_system += header->cpu_system_ns;
    paused |= header->paused_user_ns || header->paused_system_ns;
    if (process->end == PROCESS_END_EXEC) continue; /* the next has its time as well */
    known += header->cpu_before_ns + used(header) - process->ticked_since_ns;
    ticked += process->ticked_since_ns;
    if (process->end != PROCESS_END_UNKNOWN && process->end != PROCESS_END_SIGNAL) continue;
    open = process;
    open_count++;
  }
  if (known >= user_ns + system_ns || !recording->process_count) return;
  uint64_t missing = user_ns + system_ns - known;
  if (open_count == 1 && !open->gone_on && !paused) {
    complete_only(open, missing, less(system_ns, known_system));
    return;
  }
  limit_ticked(recording, ticked, missing);
  recording->processes[0].unknown_ns = less(missing, ticked);
}
