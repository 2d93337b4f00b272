/* How many objects the dynamic linker has ever loaded and unloaded. Async-signal-unsafe: it takes
 * the dynamic linker's lock. */
#ifndef ASCRIBE_RUNTIME_OBJECT_COUNTS_H
#define ASCRIBE_RUNTIME_OBJECT_COUNTS_H

#include <link.h>
#include <stdint.h>

struct object_counts {
  uint64_t loaded, unloaded;
};

static inline int object_counts_take(struct dl_phdr_info *info, size_t bytes, void *counts) {
  *(struct object_counts *)counts = (struct object_counts){info->dlpi_adds, info->dlpi_subs};
  return 1;
}

struct object_counts object_counts_read(void);

#endif
