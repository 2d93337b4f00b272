/* Of allocator.c as a part of the executable: the linker has found the next ones, `malloc` as
 * __real_malloc, and calls of malloc come to __wrap_malloc. */
#ifndef ASCRIBE_RUNTIME_ALLOCATOR_LINKED_H
#define ASCRIBE_RUNTIME_ALLOCATOR_LINKED_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/guise/allocator_calls.h"

#define ANSWER(name) __wrap_##name
#define RARE __attribute__((weak)) /* an allocator of the program's own may lack it */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
void *__real_memalign(size_t alignment, size_t bytes) RARE;
void *__real_aligned_alloc(size_t alignment, size_t bytes) RARE;
int __real_posix_memalign(void **block, size_t alignment, size_t bytes) RARE;
void *__real_valloc(size_t bytes) RARE;
void *__real_pvalloc(size_t bytes) RARE;
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t bytes);
void *__real_mremap(void *address, size_t bytes, size_t more, int flags, ...);
int __real_brk(void *end);
void *__real_sbrk(intptr_t more);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_reallocarray(void *block, size_t count, size_t bytes);
void __wrap_free(void *block);
void *__wrap_memalign(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);
void *__wrap_valloc(size_t bytes);
void *__wrap_pvalloc(size_t bytes);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t bytes);
void *__wrap_mremap(void *address, size_t bytes, size_t more, int flags, ...);
int __wrap_brk(void *end);
void *__wrap_sbrk(intptr_t more);

static const struct next_allocator next = {
    __real_malloc,        __real_calloc,         __real_realloc, __real_free,    __real_memalign,
    __real_aligned_alloc, __real_posix_memalign, __real_valloc,  __real_pvalloc, __real_mmap,
    __real_munmap,        __real_mremap,         __real_brk,     __real_sbrk};

static inline bool ready(void) {
  return true;
}

static bool answers(void) {
  return true;
}

/* Whether this is who tells the runtime: where the library is preloaded, our calls come to it. */
static inline bool is_asked(void) {
  return !ascribe_allocator.preloaded;
}

#endif
