/* The finite-state machine of contexts (steps B1 to B3) for the stacks of one process, in the form
 * that the reader gives (recording/reader.h): contexts are histories of calls that have not
 * returned.  Source: Spivey, "Data structures for fast profiling". */
#ifndef ASCRIBE_OUTSIDE_STACK_MACHINE_H
#define ASCRIBE_OUTSIDE_STACK_MACHINE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "recording/reader.h"

struct step {
  uint32_t from, function, to;
};

struct stack_machine {
  struct function_entry *functions; /* what histories are made of */
  struct context_entry *contexts;
  struct tick_entry *ticks;
  struct step *steps;
  size_t function_count, context_count, tick_count, step_count;
  struct hash_index by_address, by_history, by_step, by_tick;
  struct arena histories;
  uint32_t *free, *limit; /* what is left of the newest piece of `histories` */
  uint64_t history_bytes;
  uint64_t recurring; /* contexts of stacks that recur */
};

/* All zeros: empty. */
void stack_machine_close(struct stack_machine *machine);

/* The index of a function or call.  Equal ones have the same kind, address and object. */
uint32_t stack_machine_function(struct stack_machine *machine, const struct function_entry *entry);

/* A context of its own for a thread: its root, or the one for what has no room (`flag`:
 * CONTEXT_ROOT, CONTEXT_OVERFLOW). NOTHING when there are too many, here and below. */
uint32_t stack_machine_start(struct stack_machine *machine, uint32_t thread, uint32_t flag);

/* The context below `context` after this call. */
uint32_t stack_machine_step(struct stack_machine *machine, uint32_t context, uint32_t function);

/* Add ticks to those of the same context, stack, pc and event. */
void stack_machine_charge(struct stack_machine *machine, const struct tick_entry *tick);

#endif
