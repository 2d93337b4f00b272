#include "runtime/contexts/point_counts.h"

#include "runtime/registry/storage.h"

#define BLOCK_FIRST 4000
#define BLOCK_MOST (1u << 18)

static struct recorded_points *claim(struct thread_state *thread, uint64_t bytes) {
  for (int tries = 0; tries < 3; tries++) {
    struct block_header *block = thread->points;
    void *record = block ? storage_claim_record(block, bytes) : NULL;
    if (record) return record;
    uint64_t size = block ? (block->bytes - sizeof *block) * 2 : BLOCK_FIRST;
    if (size > BLOCK_MOST) size = BLOCK_MOST;
    if (size < bytes + ASCRIBE_ROW_FIRST) size = bytes + ASCRIBE_ROW_FIRST;
    block = storage_claim_rows(BLOCK_POINTS, size, thread->number);
    if (!block) return NULL;
    thread->points = block;
  }
  return NULL;
}

volatile uint64_t *point_counts_claim(struct thread_state *thread, const ascribe_point *points,
                                      uint32_t count) {
  uint64_t bytes = sizeof(struct recorded_points) + 2ull * count * sizeof(uint64_t);
  struct recorded_points *record = count && count <= POINTS_MOST ? claim(thread, bytes) : NULL;
  if (!record) {
    storage_count_drop(DROP_COUNTERS);
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++)
    if (hosts_take_point(points[i])) record->counts[count + i] = points[i];
  record->in_pause = thread->paused;
  __atomic_store_n(&record->count, count, __ATOMIC_RELEASE);
  return record->counts;
}

static void pause(struct recorded_points *record, struct recorded_points *sums, bool begins) {
  for (uint32_t i = 0; i < record->count; i++)
    sums->counts[i] += begins ? -record->counts[i] : record->counts[i];
  sums->in_pause = begins ? ROW_PAUSED : 0;
  if (!begins) record->in_pause = 0;
}

void point_counts_pause(struct block_header *block, bool begins) {
  char *pauses = (char *)storage_header() + block->pauses;
  uint64_t at = sizeof *block + ASCRIBE_ROW_FIRST;
  while (at + sizeof(struct recorded_points) <= block->used) {
    struct recorded_points *record = (void *)((char *)block + at);
    if (!record->bytes) break;
    pause(record, (void *)(pauses + at), begins);
    at += record->bytes;
  }
}
