/* In static programs, where interpose.c is not. */
#include "runtime/guise/object_counts.h"

struct object_counts object_counts_read(void) {
  struct object_counts counts = {0};
  dl_iterate_phdr(object_counts_take, &counts);
  return counts;
}
