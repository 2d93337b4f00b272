#include "outside/attach.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/living_thread.h"
#include "base/memory.h"
#include "outside/maps.h"
#include "outside/process_text.h"

enum { ROUNDS_MOST = 1000 };

struct attaching {
  struct process_image *image;
  struct target *target;
  const struct event *event;
  struct ring_set *rings;
  struct record_stream *stream;
  uint32_t *strangers; /* threads in the list of which nothing else is known */
  size_t stranger_count;
};

/* Nothing tells that it is measured. */
static bool is_stranger(const struct attaching *work, uint32_t tid) {
  const struct process_tree *tree = work->stream->tree;
  const struct image_thread *thread = process_tree_thread(tree, tid);
  return process_tree_find_thread(tree, tid) != work->image || thread->in_doubt;
}

/* Those that still run. */
static void find_strangers(struct attaching *work) {
  char path[64];
  work->stranger_count = 0;
  snprintf(path, sizeof path, "/proc/%u/task", work->image->pid);
  DIR *tasks = opendir(path);
  if (!tasks) return;
  for (const struct dirent *task; (task = readdir(tasks));) {
    uint32_t tid = (uint32_t)strtoul(task->d_name, NULL, 10);
    if (!tid || !is_stranger(work, tid)) continue;
    if (thread_has_ended(work->image->pid, tid)) continue;
    ARRAY_GROW(work->strangers, work->stranger_count);
    work->strangers[work->stranger_count++] = tid;
  }
  closedir(tasks);
}

/* A thread is in the list a moment before the kernel tells that it began. */
static void take_news(const struct attaching *work) {
  static const struct timespec moment = {0, 2000000};
  nanosleep(&moment, NULL);
  ring_set_look(work->rings);
  for (struct ring *ring; (ring = ring_set_next(work->rings, UINT64_MAX)); ring_pass(ring))
    record_stream_take(work->stream, ring->next);
}

/* 1, or 0 when there are too many contexts. */
static int note_opened(const struct attaching *work, uint32_t tid, uint32_t first) {
  struct process_tree *tree = work->stream->tree;
  if (process_tree_find_thread(tree, tid) != work->image) {
    char name[17];
    process_text_thread(work->image->pid, tid, name);
    process_tree_add_thread(tree, work->image, tid, name);
  }
  struct image_thread *thread = process_tree_thread(tree, tid);
  if (!thread) return 0;
  thread->opened_ns = clock_ns(CLOCK_MONOTONIC);
  if (!thread->began_ns) thread->began_ns = thread->opened_ns; /* for us */
  thread->events = first;
  thread->in_doubt = false;
  return 1;
}

/* How many were added, or -1 (error set). */
static int add_strangers(const struct attaching *work, struct error *error) {
  int added = 0;
  for (size_t i = 0; i < work->stranger_count; i++) {
    uint32_t tid = work->strangers[i];
    if (!is_stranger(work, tid)) continue;
    uint32_t first = (uint32_t)work->target->count;
    int status = target_add(work->target, work->event, tid, work->rings, error);
    if (status < 0) return -1;
    if (status == 0) added += note_opened(work, tid, first);
  }
  return added;
}

/* Threads that a measured one makes are measured too, and the kernel tells of them.  One that is in
 * the list, and of which it does not tell, was made by one that was not measured yet; or its maker
 * rests just before the kernel tells.  Ticks show which of both. */
static int add_threads(struct attaching *work, struct error *error) {
  int all = 0;
  for (int round = 0; round < ROUNDS_MOST; round++) {
    find_strangers(work);
    if (!work->stranger_count) break;
    take_news(work);
    int added = add_strangers(work, error);
    if (added < 0) return -1;
    all += added;
  }
  return all ? 0 : error_set(error, "process %u is gone", work->image->pid);
}

static void see_mapping(void *context, const struct kernel_mapping *mapping) {
  process_tree_map(context, mapping);
}

int attach(uint32_t pid, struct target *target, const struct event *event, struct ring_set *rings,
           struct record_stream *stream, struct error *error) {
  struct process_image *image = process_tree_find(stream->tree, pid);
  struct attaching work = {
      .image = image, .target = target, .event = event, .rings = rings, .stream = stream};
  process_text_read(image);
  /* Before the events: ticks come at once. After them: what is mapped from then on the kernel tells
   * of. */
  maps_read(pid, see_mapping, stream->tree);
  int status = add_threads(&work, error);
  free(work.strangers);
  if (status) return -1;
  if (maps_read(pid, see_mapping, stream->tree) == 0) return 0;
  return error_set(error, "/proc/%u/maps cannot be read: %s", pid, strerror(errno));
}
