#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/reader_image.h"

static int has_index(const void *array, uint32_t index, const void *key) {
  return ((const struct recorded_thread *)array)[index].index == *(const uint32_t *)key;
}

/* A thread that has not ended did so with its process. */
static uint64_t lived_ns(const struct image *image, const struct recorded_thread *recorded) {
  uint64_t end = image->process.header.updated_ns;
  bool goes_on = recorded->live && recorded->started_ns && end > recorded->started_ns;
  return recorded->lived_ns + (goes_on ? end - recorded->started_ns : 0);
}

/* Returns its index; NOTHING: there are too many. */
static uint32_t add_thread(struct image *image, const struct recorded_thread *recorded) {
  struct process_recording *process = &image->process;
  if (process->thread_count >= THREAD_LIMIT) {
    process->truncated = 1;
    return NOTHING;
  }
  uint32_t index = (uint32_t)process->thread_count++;
  ARRAY_GROW(image->recorded_threads, index);
  ARRAY_GROW(process->threads, index);
  image->recorded_threads[index] = *recorded;
  process->threads[index] = (struct thread_entry){.index = recorded->index,
                                                  .tid = recorded->tid,
                                                  .owners = recorded->owners,
                                                  .start_function = NOTHING,
                                                  .spawned_in = NOTHING,
                                                  .ticks = recorded->ticks,
                                                  .lost = recorded->lost,
                                                  .cpu_ns = recorded->cpu_ns,
                                                  .cpu_system_ns = recorded->cpu_system_ns,
                                                  .cpu_ticked_ns = recorded->cpu_ticked_ns,
                                                  .ticked_ns = recorded->ticked_ns,
                                                  .lived_ns = lived_ns(image, recorded)};
  memcpy(process->threads[index].name, recorded->name, sizeof recorded->name);
  hash_index_add(&image->thread_map, hash_mix(recorded->index), index);
  process->slow_steps += recorded->slow_steps;
  return index;
}

static uint32_t find_known(const struct image *image, uint32_t recorded) {
  return hash_index_find(&image->thread_map, hash_mix(recorded), has_index, image->recorded_threads,
                         &recorded);
}

/* The thread id is 0 in an entry that was not written yet. */
static void take_thread(void *context, const void *row, uint64_t number) {
  struct image *image = context;
  const struct recorded_thread *thread = row;
  if (thread->tid != 0 && find_known(image, thread->index) == HASH_INDEX_NONE)
    add_thread(image, thread);
}

void threads_read(struct image *image, const struct block *block) {
  block_rows(image, block, sizeof(struct recorded_thread), take_thread, image);
}

uint32_t thread_find(struct image *image, uint32_t recorded) {
  uint32_t known = find_known(image, recorded);
  if (known != HASH_INDEX_NONE) return known;
  struct recorded_thread unknown = {.index = recorded};
  return add_thread(image, &unknown);
}

uint32_t thread_root_id(const struct image *image, uint32_t thread) {
  uint32_t root = image->recorded_threads[thread].root;
  return root != 0 && root < MADE_ROOT_FIRST ? root : MADE_ROOT_FIRST + thread;
}
