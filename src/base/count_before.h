/* Binary search. */
#ifndef ASCRIBE_BASE_COUNT_BEFORE_H
#define ASCRIBE_BASE_COUNT_BEFORE_H

#include <stddef.h>

/* Of `count` items, so sorted that those for which the condition holds come first: how many these
 * are. The condition is an expression over the index `at`. */
#define COUNT_BEFORE(count, at, condition)                                                         \
  __extension__({                                                                                  \
    size_t low_##at = 0, high_##at = (count);                                                      \
    while (low_##at < high_##at) {                                                                 \
      const size_t at = low_##at + (high_##at - low_##at) / 2;                                     \
      if (condition)                                                                               \
        low_##at = at + 1;                                                                         \
      else                                                                                         \
        high_##at = at;                                                                            \
    }                                                                                              \
    low_##at;                                                                                      \
  })

#endif
