/* What blocks of memory are. */
#ifndef ASCRIBE_PROFILE_KINDS_H
#define ASCRIBE_PROFILE_KINDS_H

#include <stdint.h>

/* How it is known. */
enum kind_basis {
  KIND_UNKNOWN,
  KIND_NAMED,  /* the program said so: ascribe_kind of ascribe/ascribe.h */
  KIND_TYPE,   /* its type: by a C++ allocator on the stack, or by the compiler */
  KIND_POOL,   /* the name of the pool that gave it out: ascribe_pool_allocated */
  KIND_MAPPED, /* how it was asked of the kernel */
  /* What a language host calls its closures: */
  KIND_CONSTRUCTOR,
  KIND_FUNCTION,
  KIND_PARTIAL,
  KIND_THUNK
};

/* Of ticks that tell of memory. */
struct profile_kind {
  const char *name;     /* null: KIND_UNKNOWN */
  uint32_t basis;       /* enum kind_basis */
  uint64_t least, most; /* bytes of a block; UINT64_MAX: not known */
};

#endif
