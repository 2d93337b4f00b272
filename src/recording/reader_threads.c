#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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

static int add_thread(struct image *image, const struct recorded_thread *recorded) {
  size_t count = image->process.thread_count;
  if (count >= THREAD_LIMIT) return -1;
  struct recorded_thread *kept = array_reserve(
      image->recorded_threads, &image->recorded_thread_capacity, count + 1, sizeof *kept);
  if (!kept) return -1;
  image->recorded_threads = kept;
  kept[count] = *recorded;
  struct thread_entry *threads =
      array_reserve(image->process.threads, &image->thread_capacity, count + 1, sizeof *threads);
  if (!threads) return -1;
  image->process.threads = threads;
  threads[count] = (struct thread_entry){.index = recorded->index,
                                         .tid = recorded->tid,
                                         .owners = recorded->owners,
                                         .start_function = NOTHING,
                                         .spawned_in = NOTHING,
                                         .ticks = recorded->ticks,
                                         .lost = recorded->lost,
                                         .cpu_ns = recorded->cpu_ns,
                                         .cpu_system_ns = recorded->cpu_system_ns,
                                         .cpu_ticked_ns = recorded->cpu_ticked_ns,
                                         .lived_ns = lived_ns(image, recorded)};
  memcpy(threads[count].name, recorded->name, sizeof recorded->name);
  if (hash_index_add(&image->thread_map, hash_mix(recorded->index), (uint32_t)count) < 0) return -1;
  image->process.thread_count++;
  image->process.slow_steps += recorded->slow_steps;
  return 0;
}

static uint32_t find_known(const struct image *image, uint32_t recorded) {
  return hash_index_find(&image->thread_map, hash_mix(recorded), has_index, image->recorded_threads,
                         &recorded);
}

int threads_read(struct image *image, const struct block *block) {
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct recorded_thread *rows;
  size_t count;
  uint64_t skipped;
  int status = 0;
  while (status == 0 && (rows = block_stream_rows(&stream, sizeof *rows, &count, &skipped)))
    for (size_t i = 0; i < count && status == 0; i++) {
      /* The thread id is 0 in an entry that was not written yet. */
      if (rows[i].tid == 0 || find_known(image, rows[i].index) != HASH_INDEX_NONE) continue;
      status = add_thread(image, &rows[i]);
    }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
  return status;
}

uint32_t thread_find(struct image *image, uint32_t recorded) {
  uint32_t known = find_known(image, recorded);
  if (known != HASH_INDEX_NONE) return known;
  struct recorded_thread unknown = {.index = recorded};
  return add_thread(image, &unknown) < 0 ? NOTHING : (uint32_t)image->process.thread_count - 1;
}

uint32_t thread_root_id(const struct image *image, uint32_t thread) {
  uint32_t root = image->recorded_threads[thread].root;
  return root != 0 && root < MADE_ROOT_FIRST ? root : MADE_ROOT_FIRST + thread;
}
