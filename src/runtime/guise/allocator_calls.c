#include "runtime/guise/allocator_calls.h"

#include "runtime/arch/processor.h"
#include "runtime/guise/allocator_entry.h"
#include "runtime/heap/heap.h"
#include "runtime/life/thread_life.h"
#include "runtime/registry/cell.h"
#include "runtime/stacks/stacks.h"

static bool is_sample(struct allocator_thread *position) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (!thread) return false;
  if (!position->drew) position->left += (int64_t)heap_gap(thread);
  position->drew = true;
  if (position->left >= 0) return false;
  position->left = (int64_t)heap_gap(thread);
  return true;
}

/* By place: how many samples that may be live, from 255 on for ever. */
static uint8_t samples[SAMPLES_PLACES];

/* A block's free is seen only if its place has been noted. */
static void note_sample(const void *block, int change) {
  uint8_t *place = &samples[samples_place(block)], count = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (count != UINT8_MAX &&
         !__atomic_compare_exchange_n(place, &count, (uint8_t)(count + change), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

static void allocated(void *block, size_t bytes, const uint64_t *frame,
                      const struct allocator_thread *position) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  const struct stack_caller caller = stack_caller_of(frame);
  if (ascribe_allocator.samples) note_sample(block, 1);
  if (thread) heap_allocated(thread, (uint64_t)block, bytes, (uint64_t)position->left, &caller);
}

static struct live_block take(void *block) {
  struct live_block taken = heap_take((uint64_t)block);
  if (ascribe_allocator.samples && taken.cell) note_sample(block, -1);
  return taken;
}

static void put_back(void *block, struct live_block taken) {
  if (ascribe_allocator.samples && taken.cell) note_sample(block, 1);
  heap_put_back((uint64_t)block, taken);
}

static void freed(void *block, struct live_block taken, const uint64_t *frame,
                  const struct allocator_thread *position) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  const struct stack_caller caller = stack_caller_of(frame);
  if (!thread) return;
  bool counted = heap_freed(thread, (uint64_t)block, taken, (uint64_t)position->left, &caller);
  if (!counted && ascribe_allocator.samples) note_sample(block, 1);
}

static uint64_t now(void) {
  return time_stamp();
}

static void mapped(enum mapping_change change, uint64_t address, size_t bytes, uint64_t tsc,
                   const uint64_t *frame) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  const struct stack_caller caller = stack_caller_of(frame);
  if (thread) heap_mapped(thread, change, address, bytes, tsc, &caller);
}

struct allocator_calls ascribe_allocator = {.is_sample = is_sample,
                                            .allocated = allocated,
                                            .take = take,
                                            .put_back = put_back,
                                            .freed = freed,
                                            .now = now,
                                            .mapped = mapped};

void allocator_calls_begin(bool by_samples) {
  ascribe_allocator.samples = by_samples ? samples : NULL;
  /* Release pairs with the acquire in allocator.c: all that it calls is ready. */
  __atomic_store_n(&ascribe_allocator.recording, ALLOCATOR_CALLS_VERSION, __ATOMIC_RELEASE);
}

bool allocator_calls_come(void) {
  return ascribe_allocator.answers;
}
