/* The library of `record --heap`: answers malloc, free and their relatives, and tells the runtime.
 *
 * The blocks are those of the allocator that the program would have without it: what the dynamic
 * linker finds next.  Operators new and delete of C++ call malloc and free, and so does libc inside
 * (strdup, getline, fopen, the dynamic linker), through here. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

#include "runtime/guise/allocator_calls.h"
#include "runtime/heap/byte_samples.h"

#define ANSWERED __attribute__((visibility("default"), used))
#define FRAME ((const uint64_t *)__builtin_frame_address(0))

#define SAMPLED_MOST ((size_t)1 << 62) /* of what left goes down by */

#pragma weak ascribe_allocator

/* What glibc calls them itself: for what dlsym allocates while the first one is looked for. */
extern void *__libc_malloc(size_t) __attribute__((weak));
extern void *__libc_calloc(size_t, size_t) __attribute__((weak));
extern void __libc_free(void *) __attribute__((weak));

static struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void (*free)(void *);
  void *(*memalign)(size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*valloc)(size_t);
  void *(*pvalloc)(size_t);
} next;
static int found; /* atomic */
static __thread bool looking;
static __thread struct allocator_thread position;

static void look(void) {
  looking = true;
  next.calloc = dlsym(RTLD_NEXT, "calloc");
  next.realloc = dlsym(RTLD_NEXT, "realloc");
  next.free = dlsym(RTLD_NEXT, "free");
  next.memalign = dlsym(RTLD_NEXT, "memalign");
  next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  next.valloc = dlsym(RTLD_NEXT, "valloc");
  next.pvalloc = dlsym(RTLD_NEXT, "pvalloc");
  next.malloc = dlsym(RTLD_NEXT, "malloc");
  looking = false;
  /* Release pairs with the acquire in ready. */
  __atomic_store_n(&found, 1, __ATOMIC_RELEASE);
}

/* Whether the next ones are known. False: this is called by who looks for them. */
static inline bool ready(void) {
  if (__builtin_expect(__atomic_load_n(&found, __ATOMIC_ACQUIRE), 1)) return true;
  if (!looking) look();
  return __atomic_load_n(&found, __ATOMIC_ACQUIRE);
}

static inline bool records(void) {
  return &ascribe_allocator &&
         __builtin_expect(__atomic_load_n(&ascribe_allocator.recording, __ATOMIC_ACQUIRE) ==
                              ALLOCATOR_CALLS_VERSION,
                          1);
}

static inline bool is_told(size_t bytes) {
  if (!ascribe_allocator.samples) return true;
  bytes = bytes < SAMPLED_LEAST ? SAMPLED_LEAST : bytes < SAMPLED_MOST ? bytes : SAMPLED_MOST;
  position.left -= (int64_t)bytes;
  return __builtin_expect(position.left < 0, 0) && ascribe_allocator.is_sample(&position);
}

static inline void *told(void *block, size_t bytes, const uint64_t *frame) {
  if (block && records() && is_told(bytes))
    ascribe_allocator.allocated(block, bytes, frame, &position);
  return block;
}

static inline bool may_be_told(const void *block) {
  const uint8_t *samples = ascribe_allocator.samples;
  return !samples || __atomic_load_n(&samples[samples_place(block)], __ATOMIC_RELAXED);
}

static inline void tell_free(void *block, struct live_block taken, const uint64_t *frame) {
  if (taken.cell || !ascribe_allocator.samples)
    ascribe_allocator.freed(block, taken, frame, &position);
}

ANSWERED void *malloc(size_t bytes) {
  if (!ready()) return __libc_malloc ? __libc_malloc(bytes) : NULL;
  return told(next.malloc(bytes), bytes, FRAME);
}

ANSWERED void *calloc(size_t count, size_t bytes) {
  if (!ready()) return __libc_calloc ? __libc_calloc(count, bytes) : NULL;
  return told(next.calloc(count, bytes), count * bytes, FRAME);
}

ANSWERED void free(void *block) {
  if (!ready()) {
    if (__libc_free) __libc_free(block);
    return;
  }
  if (block && records() && may_be_told(block))
    tell_free(block, ascribe_allocator.take(block), FRAME);
  next.free(block);
}

/* Without a block it is malloc; with one, and no bytes, most free it and give null. */
static inline void *reallocated(void *block, size_t bytes, const uint64_t *frame) {
  if (!block || !records() || !may_be_told(block))
    return told(next.realloc(block, bytes), bytes, frame);
  struct live_block taken = ascribe_allocator.take(block);
  void *moved = next.realloc(block, bytes);
  if (moved || !bytes)
    tell_free(block, taken, frame);
  else
    ascribe_allocator.put_back(block, taken);
  return told(moved, bytes, frame);
}

ANSWERED void *realloc(void *block, size_t bytes) {
  return ready() ? reallocated(block, bytes, FRAME) : NULL;
}

ANSWERED void *reallocarray(void *block, size_t count, size_t bytes) {
  size_t whole;
  if (__builtin_mul_overflow(count, bytes, &whole)) {
    errno = ENOMEM;
    return NULL;
  }
  return ready() ? reallocated(block, whole, FRAME) : NULL;
}

/* An allocator of the program's may lack the rare ones: then libc's would be of another heap. */
ANSWERED void *memalign(size_t alignment, size_t bytes) {
  return ready() && next.memalign ? told(next.memalign(alignment, bytes), bytes, FRAME) : NULL;
}

ANSWERED void *aligned_alloc(size_t alignment, size_t bytes) {
  return ready() && next.aligned_alloc ? told(next.aligned_alloc(alignment, bytes), bytes, FRAME)
                                       : NULL;
}

ANSWERED int posix_memalign(void **block, size_t alignment, size_t bytes) {
  if (!ready() || !next.posix_memalign) return ENOMEM;
  int status = next.posix_memalign(block, alignment, bytes);
  if (!status) told(*block, bytes, FRAME);
  return status;
}

ANSWERED void *valloc(size_t bytes) {
  return ready() && next.valloc ? told(next.valloc(bytes), bytes, FRAME) : NULL;
}

ANSWERED void *pvalloc(size_t bytes) {
  return ready() && next.pvalloc ? told(next.pvalloc(bytes), bytes, FRAME) : NULL;
}
