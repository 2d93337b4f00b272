/* The library of `record --heap`: answers malloc, free and their relatives, and tells the runtime.
 *
 * The blocks are those of the allocator that the program would have without it: what the dynamic
 * linker finds next.  Operators new and delete of C++ call malloc and free, and so does libc inside
 * (strdup, getline, fopen, the dynamic linker), through here.
 *
 * With ALLOCATOR_LINKED it is an object that `ascribe cc --heap` links into executables, for those
 * that the library cannot answer: the linker gives it their calls (--wrap). */
#undef _FILE_OFFSET_BITS /* with it headers call mmap mmap64, and both are answered here */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/guise/allocator_calls.h"
#ifdef ALLOCATOR_LINKED
#include "runtime/guise/allocator_linked.h"
#else
#include "runtime/guise/allocator_preloaded.h"
#endif
#include "runtime/heap/byte_samples.h"

#define ANSWERED __attribute__((visibility("default"), used))
#define FRAME ((const uint64_t *)__builtin_frame_address(0))

#define SAMPLED_MOST ((size_t)1 << 62) /* of what left goes down by */

/* What glibc calls them itself: for what is allocated before the next ones are known. */
extern void *__libc_malloc(size_t) __attribute__((weak));
extern void *__libc_calloc(size_t, size_t) __attribute__((weak));
extern void __libc_free(void *) __attribute__((weak));

static __thread struct allocator_thread position;

static inline bool records(void) {
  return is_asked() &&
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

__attribute__((constructor)) static void begin(void) {
  if (is_asked() && answers()) ascribe_allocator.answers = true;
}

ANSWERED void *ANSWER(malloc)(size_t bytes) {
  if (!ready()) return __libc_malloc ? __libc_malloc(bytes) : NULL;
  return told(next.malloc(bytes), bytes, FRAME);
}

ANSWERED void *ANSWER(calloc)(size_t count, size_t bytes) {
  if (!ready()) return __libc_calloc ? __libc_calloc(count, bytes) : NULL;
  return told(next.calloc(count, bytes), count * bytes, FRAME);
}

ANSWERED void ANSWER(free)(void *block) {
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

ANSWERED void *ANSWER(realloc)(void *block, size_t bytes) {
  return ready() ? reallocated(block, bytes, FRAME) : NULL;
}

ANSWERED void *ANSWER(reallocarray)(void *block, size_t count, size_t bytes) {
  size_t whole;
  if (__builtin_mul_overflow(count, bytes, &whole)) {
    errno = ENOMEM;
    return NULL;
  }
  return ready() ? reallocated(block, whole, FRAME) : NULL;
}

/* An allocator of the program's may lack the rare ones: then libc's would be of another heap. */
ANSWERED void *ANSWER(memalign)(size_t alignment, size_t bytes) {
  return ready() && next.memalign ? told(next.memalign(alignment, bytes), bytes, FRAME) : NULL;
}

ANSWERED void *ANSWER(aligned_alloc)(size_t alignment, size_t bytes) {
  return ready() && next.aligned_alloc ? told(next.aligned_alloc(alignment, bytes), bytes, FRAME)
                                       : NULL;
}

ANSWERED int ANSWER(posix_memalign)(void **block, size_t alignment, size_t bytes) {
  if (!ready() || !next.posix_memalign) return ENOMEM;
  int status = next.posix_memalign(block, alignment, bytes);
  if (!status) told(*block, bytes, FRAME);
  return status;
}

ANSWERED void *ANSWER(valloc)(size_t bytes) {
  return ready() && next.valloc ? told(next.valloc(bytes), bytes, FRAME) : NULL;
}

ANSWERED void *ANSWER(pvalloc)(size_t bytes) {
  return ready() && next.pvalloc ? told(next.pvalloc(bytes), bytes, FRAME) : NULL;
}

/* ---- memory of the kernel's ---- */

/* What libc maps for itself, for threads' stacks and for what malloc gives out, is not asked for
 * here, nor are objects. */
static inline void tell_mapped(enum mapping_change change, const void *address, size_t bytes,
                               uint64_t tsc, const uint64_t *frame) {
  ascribe_allocator.mapped(change, (uint64_t)address, bytes, tsc, frame);
}

static inline enum mapping_change change_of(int flags) {
  if (!(flags & MAP_ANONYMOUS)) return MAPPING_FILE;
  return flags & MAP_SHARED ? MAPPING_SHARED : MAPPING_ANONYMOUS;
}

static inline void *map(void *address, size_t bytes, int protection, int flags, int file,
                        off_t offset, const uint64_t *frame) {
  if (!ready()) return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  void *mapped = next.mmap(address, bytes, protection, flags, file, offset);
  if (mapped != MAP_FAILED && records())
    tell_mapped(change_of(flags), mapped, bytes, ascribe_allocator.now(), frame);
  return mapped;
}

ANSWERED void *ANSWER(mmap)(void *address, size_t bytes, int protection, int flags, int file,
                            off_t offset) {
  return map(address, bytes, protection, flags, file, offset, FRAME);
}

ANSWERED void *ANSWER(mmap64)(void *address, size_t bytes, int protection, int flags, int file,
                              off_t offset) {
  return map(address, bytes, protection, flags, file, offset, FRAME);
}

ANSWERED int ANSWER(munmap)(void *address, size_t bytes) {
  if (!ready()) return (int)syscall(SYS_munmap, address, bytes);
  if (!records()) return next.munmap(address, bytes);
  uint64_t before = ascribe_allocator.now();
  int status = next.munmap(address, bytes);
  if (!status) tell_mapped(MAPPING_GONE, address, bytes, before, FRAME);
  return status;
}

ANSWERED void *ANSWER(mremap)(void *address, size_t bytes, size_t more, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void *wanted = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(rest, void *) : NULL;
  va_end(rest);
  if (!ready()) return (void *)syscall(SYS_mremap, address, bytes, more, flags, wanted);
  if (!records()) return next.mremap(address, bytes, more, flags, wanted);
  uint64_t before = ascribe_allocator.now();
  void *moved = next.mremap(address, bytes, more, flags, wanted);
  if (moved == MAP_FAILED) return moved;
  if (!(flags & MREMAP_DONTUNMAP)) tell_mapped(MAPPING_GONE, address, bytes, before, FRAME);
  tell_mapped(MAPPING_ANONYMOUS, moved, more, ascribe_allocator.now(), FRAME);
  return moved;
}

static inline void tell_break(const char *from, const char *to, uint64_t before,
                              const uint64_t *frame) {
  if (to > from)
    tell_mapped(MAPPING_BREAK, from, (size_t)(to - from), ascribe_allocator.now(), frame);
  else if (to < from)
    tell_mapped(MAPPING_GONE, to, (size_t)(from - to), before, frame);
}

ANSWERED int ANSWER(brk)(void *end) {
  if (!ready() || !next.brk) {
    errno = ENOMEM;
    return -1;
  }
  if (!records()) return next.brk(end);
  uint64_t before = ascribe_allocator.now();
  const char *from = next.sbrk(0);
  int status = next.brk(end);
  if (!status) tell_break(from, end, before, FRAME);
  return status;
}

ANSWERED void *ANSWER(sbrk)(intptr_t more) {
  if (!ready() || !next.sbrk) return (void *)-1;
  if (!more || !records()) return next.sbrk(more);
  uint64_t before = ascribe_allocator.now();
  char *from = next.sbrk(more);
  if (from != (char *)-1) tell_break(from, from + more, before, FRAME);
  return from;
}
