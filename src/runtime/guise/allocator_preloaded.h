/* Of allocator.c as a library: the next ones are found by the dynamic linker. */
#ifndef ASCRIBE_RUNTIME_ALLOCATOR_PRELOADED_H
#define ASCRIBE_RUNTIME_ALLOCATOR_PRELOADED_H

#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/guise/allocator_calls.h"

#define ANSWER(name) name

#pragma weak ascribe_allocator

static struct next_allocator next;
static int found; /* atomic */
static __thread bool looking;

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
  next.mmap = dlsym(RTLD_NEXT, "mmap");
  next.munmap = dlsym(RTLD_NEXT, "munmap");
  next.mremap = dlsym(RTLD_NEXT, "mremap");
  next.brk = dlsym(RTLD_NEXT, "brk");
  next.sbrk = dlsym(RTLD_NEXT, "sbrk");
  next.malloc = dlsym(RTLD_NEXT, "malloc");
  if (&ascribe_allocator) ascribe_allocator.preloaded = true;
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

/* What the executable defines comes before ours. */
static bool answers(void) {
  Dl_info bound, own;
  return dladdr((const void *)malloc, &bound) && dladdr(&next, &own) &&
         bound.dli_fbase == own.dli_fbase;
}

/* Whether this is who tells the runtime. */
static inline bool is_asked(void) {
  return &ascribe_allocator;
}

#endif
