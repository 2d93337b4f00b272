/* This process as an unwinder sees it: its objects, from /proc/self/maps, and its memory. */
#ifndef ASCRIBE_TESTS_UNWIND_SPACE_H
#define ASCRIBE_TESTS_UNWIND_SPACE_H

#include "unwind/walk.h"

#include <ucontext.h>

/* Read what is mapped now. Libraries that come later are not known. */
void own_space_read(struct unwind_space *space, uint64_t cache_slots);

/* What lies above the stack pointer of *machine on the main stack, else by system call. */
struct unwind_memory own_memory(const ucontext_t *machine);

/* Walk from *machine; the number of addresses. */
uint32_t own_walk(const struct unwind_space *space, const ucontext_t *machine, uint64_t *addresses,
                  uint32_t most, enum unwind_end *end);

#endif
