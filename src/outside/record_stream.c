#include "outside/record_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "outside/process_text.h"

#define DOUBT_NS 200000000u /* a thread may rest that long while it makes another one */

/* ---- processes and threads begin and end ---- */

static char *copy(const char *text) {
  return text ? memory_text(text) : NULL;
}

static void note_begin(const struct process_tree *tree, uint32_t tid, uint64_t now_ns) {
  struct image_thread *thread = process_tree_thread(tree, tid);
  if (thread) thread->began_ns = now_ns;
}

static void start_process(struct process_tree *tree, const struct kernel_task *task,
                          uint64_t now_ns) {
  const struct process_image *parent = process_tree_find(tree, task->parent_pid);
  struct process_image *image = process_tree_add(tree, task->pid, now_ns);
  if (!image) return;
  image->parent_pid = task->parent_pid;
  if (!parent) process_text_read(image);
  if (parent) {
    memcpy(image->name, parent->name, sizeof image->name);
    image->executable = copy(parent->executable);
    image->command = copy(parent->command);
    image->directory = copy(parent->directory);
    address_space_copy(&image->space, &parent->space);
  }
  process_tree_add_thread(tree, image, task->tid, image->name);
  note_begin(tree, task->tid, now_ns);
}

/* Events that are opened for a thread while it makes another one are perhaps inherited, perhaps
 * not. */
static bool is_in_doubt(const struct process_tree *tree, const struct kernel_task *task,
                        uint64_t now_ns) {
  const struct image_thread *parent = process_tree_thread(tree, task->parent_tid);
  return parent && parent->opened_ns && now_ns < parent->opened_ns + DOUBT_NS;
}

/* A thread has the name of the one that made it.  Where events were opened for it meanwhile, it is
 * known already. */
static void start_thread(struct process_tree *tree, const struct kernel_task *task,
                         uint64_t now_ns) {
  struct process_image *image = process_tree_find(tree, task->pid);
  struct image_thread *thread = process_tree_thread(tree, task->tid);
  if (!image || (thread && thread->live && thread->opened_ns)) return;
  char name[sizeof image->entries->name];
  bool known = process_tree_find_thread(tree, task->parent_tid) == image;
  memcpy(name, known ? image->entries[tree->by_tid[task->parent_tid].thread].name : image->name,
         sizeof name);
  process_tree_add_thread(tree, image, task->tid, name);
  thread = process_tree_thread(tree, task->tid);
  if (thread) thread->in_doubt = is_in_doubt(tree, task, now_ns);
  note_begin(tree, task->tid, now_ns);
}

static void end_thread(struct process_tree *tree, const struct kernel_task *task, uint64_t now_ns) {
  struct process_image *image = process_tree_find_thread(tree, task->tid);
  if (!image) return;
  process_image_end_thread(image, tree->by_tid[task->tid].thread, now_ns);
  if (!image->live_threads) image->ended_ns = now_ns;
}

/* The thread goes on in the next program, and its count will come there. */
static uint64_t end_by_exec(struct process_image *image, uint64_t now_ns) {
  uint64_t ticks = 0;
  image->ended_ns = now_ns;
  image->replaced = true;
  for (uint32_t i = 0; i < image->thread_count; i++) {
    struct image_thread *thread = &image->threads[i];
    if (!thread->counted) ticks += thread->ticks;
    thread->counted = true;
    process_image_end_thread(image, i, image->entries[i].tid == image->pid ? now_ns : 0);
  }
  return ticks;
}

static void take_exec(struct process_tree *tree, const struct kernel_name *name, uint64_t now_ns) {
  struct process_image *old = process_tree_find(tree, name->pid);
  struct process_image *image = process_tree_add(tree, name->pid, now_ns);
  if (!image) return;
  snprintf(image->name, sizeof image->name, "%s", name->name);
  process_text_read(image);
  process_tree_add_thread(tree, image, name->tid, image->name);
  note_begin(tree, name->tid, now_ns);
  if (!old) return;
  image->parent_pid = old->parent_pid;
  image->sequence = old->sequence + 1;
  image->previous = old;
  uint64_t ticks = end_by_exec(old, now_ns);
  if (image->thread_count) image->threads[0].ticks = ticks;
}

static void take_name(struct process_tree *tree, const struct kernel_name *name) {
  struct process_image *image = process_tree_find_thread(tree, name->tid);
  if (!image) return;
  struct thread_entry *entry = &image->entries[tree->by_tid[name->tid].thread];
  snprintf(entry->name, sizeof entry->name, "%s", name->name);
}

/* ---- ticks ---- */

/* A thread without a beginning may be met where the kernel lost records. */
static void take_sample(struct record_stream *stream, const struct kernel_sample *sample) {
  struct process_tree *tree = stream->tree;
  struct process_image *image = process_tree_find_thread(tree, sample->tid);
  if (!image && (image = process_tree_find(tree, sample->pid)))
    process_tree_add_thread(tree, image, sample->tid, image->name);
  struct image_thread *thread = process_tree_thread(tree, sample->tid);
  if (thread && thread->opened_ns)
    target_note(stream->target, sample->tid, thread->events, sample->event);
  if (thread)
    process_image_tick(image, tree->by_tid[sample->tid].thread, sample, tree->stack);
  else
    tree->drops[DROP_TICKS]++;
}

/* The count of a thread comes after its end, one from each CPU. */
static void take_count(struct process_tree *tree, const struct kernel_count *count) {
  struct process_image *image = process_tree_find_thread(tree, count->tid);
  if (!image) return;
  uint32_t thread = tree->by_tid[count->tid].thread;
  image->threads[thread].counted = true;
  image->entries[thread].cpu_ns += count->value;
  image->counted_ns += count->value;
}

static void drop_ticks(struct process_tree *tree, const struct perf_event_header *record,
                       uint64_t ticks) {
  uint32_t pid, tid;
  struct process_image *image = NULL;
  if (kernel_record_owner(record, &pid, &tid)) image = process_tree_find(tree, pid);
  (image ? image->drops : tree->drops)[DROP_TICKS] += ticks;
}

/* The kernel stops an event that takes too much of its time, up to its next clock tick. */
static void take_throttle(struct record_stream *stream, const struct perf_event_header *record) {
  uint64_t event, now_ns = kernel_record_time(record);
  if (kernel_record_throttled(record, &event)) return;
  typeof(stream->throttled[0]) *known = &stream->throttled[event % THROTTLES];
  if (record->type == PERF_RECORD_THROTTLE) {
    known->event = event;
    known->since_ns = now_ns;
  } else if (known->event == event && known->since_ns && now_ns > known->since_ns) {
    drop_ticks(stream->tree, record, (now_ns - known->since_ns) / stream->period_ns);
    known->since_ns = 0;
  }
}

void record_stream_take(struct record_stream *stream, const struct perf_event_header *record) {
  struct process_tree *tree = stream->tree;
  uint64_t now_ns = kernel_record_time(record), lost;
  struct kernel_sample sample;
  struct kernel_mapping mapping;
  struct kernel_task task;
  struct kernel_name name;
  struct kernel_count count;
  switch (record->type) {
  case PERF_RECORD_SAMPLE:
    if (kernel_record_sample(record, &sample) == 0)
      take_sample(stream, &sample);
    else
      tree->drops[DROP_TICKS]++;
    return;
  case PERF_RECORD_MMAP2:
    if (kernel_record_mapping(record, &mapping) == 0) process_tree_map(tree, &mapping);
    return;
  case PERF_RECORD_FORK:
    if (kernel_record_task(record, &task)) return;
    if (task.pid == task.parent_pid)
      start_thread(tree, &task, now_ns);
    else
      start_process(tree, &task, now_ns);
    return;
  case PERF_RECORD_EXIT:
    if (kernel_record_task(record, &task) == 0) end_thread(tree, &task, now_ns);
    return;
  case PERF_RECORD_COMM:
    if (kernel_record_name(record, &name)) return;
    if (name.exec)
      take_exec(tree, &name, now_ns);
    else
      take_name(tree, &name);
    return;
  case PERF_RECORD_READ:
    if (kernel_record_count(record, &count) == 0) take_count(tree, &count);
    return;
  case PERF_RECORD_LOST:
    if (kernel_record_lost(record, &lost) == 0) stream->lost += lost;
    return;
  case PERF_RECORD_THROTTLE:
  case PERF_RECORD_UNTHROTTLE:
    take_throttle(stream, record);
    return;
  }
}
