/* CHICKEN Scheme as it is: compiled code calls C_trace("file.scm:line: callee") before each call
 * that it traces.  Such a trace point runs until the next one; each is a function of a world.
 * Collections are functions that a trace point calls.  The C stack of such a program is no stack of
 * callers, and is not looked at: code that CHICKEN compiled never returns, and is 1000 frames
 * deep. */
#ifndef ASCRIBE_RUNTIME_CHICKEN_POINTS_H
#define ASCRIBE_RUNTIME_CHICKEN_POINTS_H

#include <ascribe/hook.h>
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/registry/cell.h"

typedef void trace_function(char *name); /* C_trace */

/* CHICKEN runs in one thread. */
struct chicken_running {
  uint64_t world; /* WORLD_ADDRESS of key 0; 0: no trace point was met yet */
  volatile uint64_t point;
};
extern struct chicken_running chicken_running;

/* Whether CHICKEN's runtime is in the process, which is so from the start. */
bool chicken_is_here(void);

/* Whether a jump there empties CHICKEN's C stack: the program's procedure goes on, in the same cost
 * centre. */
bool chicken_restarts(const void *buffer);

/* A trace point that chicken_trace could not count; calls the real C_trace in its caller's place,
 * as the caller's own caller is the program's code.  `code_end`: where that ends in an object that
 * has CHICKEN's, too; null in others. */
void chicken_meet(char *name, trace_function *next, const void *code_end);

/* A unit begins whose procedures enter contexts (ascribe/chicken.h), at an address in its code.
 * Trace points of other units have no contexts from then on.  Where the point is to stand that
 * runs; null: nothing is recorded. */
volatile uint64_t *chicken_begin(const void *caller, const void *code_end);

static_assert(offsetof(struct host_context, context) == 0 && sizeof(struct host_context) == 8,
              "written at once");

/* Counts a trace point and calls the real C_trace, `next`.  Each point has a text of its own, whose
 * address is its key; it is entered from no context and no site, so its key alone is compared.  To
 * be called in tail position of what stands for C_trace. */
static inline __attribute__((always_inline)) void chicken_trace(char *name, trace_function *next,
                                                                const void *code_end) {
  uint64_t point = chicken_running.world | (uint64_t)name;
  chicken_running.point = point;
  const struct ascribe_gate *gate = ascribe_cell.gate;
  uint64_t mask = *(const volatile uint64_t *)&gate->mask;
  uint64_t table = *(const volatile uint64_t *)&gate->table;
  struct ascribe_slot *slot =
      (struct ascribe_slot *)((char *)gate + table + (ASCRIBE_HASH(0, point, 0) & mask));
  if (slot->callee != point) return chicken_meet(name, next, code_end);
  __asm__("incq %0" : "+m"(slot->count));
  uint64_t context = slot->to; /* and `charged` is 0: one store */
  __builtin_memcpy(&ascribe_host_context, &context, sizeof context);
  next(name);
}

#endif
