/* CPU time that no function has: with it the self times of all functions add up to the whole. */
#ifndef ASCRIBE_ATTRIBUTION_UNATTRIBUTED_H
#define ASCRIBE_ATTRIBUTION_UNATTRIBUTED_H

#include "attribution/books.h"

enum unattributed_kind {
  UNATTRIBUTED_KERNEL,
  UNATTRIBUTED_UNSAMPLED,
  UNATTRIBUTED_PROFILER,
  UNATTRIBUTED_DROPPED,
  UNATTRIBUTED_KINDS
};

struct unattributed {
  const char *name; /* "(in the kernel, not sampled)" */
  struct estimate time;
  uint64_t ticks;
};

/* The part of that kind; its time is 0 where there is none. */
struct unattributed unattributed_of(const struct books *books, enum unattributed_kind kind);

#endif
