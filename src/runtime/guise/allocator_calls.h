/* How the library that answers malloc and free (allocator.c) reaches the runtime, which is another
 * library or in the executable: by one symbol. */
#ifndef ASCRIBE_RUNTIME_ALLOCATOR_CALLS_H
#define ASCRIBE_RUNTIME_ALLOCATOR_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "recording/layout.h"
#include "runtime/heap/live_blocks.h"

#define ALLOCATOR_CALLS_VERSION 4u

/* What a thread has allocated of late, where not all of it is told: of allocator.c. */
struct allocator_thread {
  int64_t left;  /* bytes until the next sample */
  uint32_t drew; /* whether that was drawn; else it is 0 */
};

/* The allocator that gives the blocks, of allocator.c. */
struct next_allocator {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void (*free)(void *);
  void *(*memalign)(size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*valloc)(size_t);
  void *(*pvalloc)(size_t);
  void *(*mmap)(void *, size_t, int, int, int, off_t);
  int (*munmap)(void *, size_t);
  void *(*mremap)(void *, size_t, size_t, int, ...);
  int (*brk)(void *);
  void *(*sbrk)(intptr_t);
};

#define SAMPLES_PLACES (1u << 14)
static inline uint32_t samples_place(const void *block) {
  return (uint32_t)((uint64_t)block >> 4) % SAMPLES_PLACES;
}

/* `frame`: of the function that the program called, as rbp has it there: the caller's rbp, then the
 * return address.  None of them touches errno. */
struct allocator_calls {
  uint32_t recording; /* atomic: ALLOCATOR_CALLS_VERSION; else call nothing */
  bool preloaded;     /* there is a library that answers */
  bool answers;       /* it, or an object in the executable, answers the program's malloc */
  /* Null: all allocations are told. Else only samples are, and whether a block may be one of them
   * is how many samples there are at its place here. Constant while recording. */
  const uint8_t *samples;
  /* left is below 0: draw the next sample. Whether the allocation is one. */
  bool (*is_sample)(struct allocator_thread *thread);
  void (*allocated)(void *block, size_t bytes, const uint64_t *frame,
                    const struct allocator_thread *thread);
  /* A block is about to be given back: forget it first, for another thread may get its address at
   * once. Then it was, or that failed. */
  struct live_block (*take)(void *block);
  void (*put_back)(void *block, struct live_block taken);
  void (*freed)(void *block, struct live_block taken, const uint64_t *frame,
                const struct allocator_thread *thread);
  /* As struct recorded_mapping, with the time that `now` gives. */
  uint64_t (*now)(void);
  void (*mapped)(enum mapping_change change, uint64_t address, size_t bytes, uint64_t tsc,
                 const uint64_t *frame);
};

extern struct allocator_calls ascribe_allocator __attribute__((visibility("default")));

#endif
