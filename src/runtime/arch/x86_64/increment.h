/* Counting in one instruction: whoever interrupts it, a handler or another thread's, finds the
 * figure before or after it. Not atomic among processors. */
#ifndef ASCRIBE_RUNTIME_INCREMENT_H
#define ASCRIBE_RUNTIME_INCREMENT_H

#include <stdint.h>

static inline void increment_once(uint64_t *figure) {
  __asm__("incq %0" : "+m"(*figure));
}

static inline void increment_small(uint32_t *figure) {
  __asm__("incl %0" : "+m"(*figure));
}

static inline void increment_by(uint64_t *figure, uint64_t amount) {
  __asm__("addq %1, %0" : "+m"(*figure) : "er"(amount));
}

#endif
