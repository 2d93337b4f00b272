/* Where instrumented code calls the runtime (arch/x86_64/enter_slow.S): any thread, any signal
 * handler, before and after main. */
#include <stddef.h>

#include "runtime/contexts/machine.h"
#include "runtime/contexts/rows.h"
#include "runtime/life/thread_life.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/threads.h"

/* Finds the owner of a gate without one: its thread was not yet seen, or a fork wiped it. Null:
 * nothing is recorded. */
static struct thread_state *thread_of(struct ascribe_cell *cell) {
  uint64_t owner = cell->gate->owner;
  if (owner == ASCRIBE_STANDBY) return NULL;
  if (owner) return (struct thread_state *)owner;
  if (process_is_recording()) return thread_life_attach(cell);
  cell->gate = &ascribe_inert_gate;
  return NULL;
}

struct ascribe_row *ascribe_row_enter_call(struct ascribe_function *code, uint64_t frame);
struct ascribe_row *ascribe_row_site_call(struct ascribe_row *own, uint32_t number, uint64_t frame,
                                          uint64_t stack);
struct ascribe_row *ascribe_row_pointer_call(struct ascribe_row *own, uint32_t number,
                                             uint64_t callee, uint64_t frame, uint64_t stack);
struct ascribe_row *ascribe_enter_call(uint64_t callee, uint64_t site);
void ascribe_enter_slow_call(uint64_t callee, uint64_t site);

__attribute__((used)) struct ascribe_row *ascribe_row_enter_call(struct ascribe_function *code,
                                                                 uint64_t frame) {
  struct ascribe_cell *cell = &ascribe_cell;
  struct thread_state *thread = thread_of(cell);
  if (!thread) return cell->row = rows_on_standby();
  return rows_enter(thread, cell, code, frame);
}

__attribute__((used)) struct ascribe_row *
ascribe_row_site_call(struct ascribe_row *own, uint32_t number, uint64_t frame, uint64_t stack) {
  struct thread_state *thread = thread_of(&ascribe_cell);
  return thread ? rows_site(thread, own, number, frame, stack) : rows_on_standby();
}

__attribute__((used)) struct ascribe_row *ascribe_row_pointer_call(struct ascribe_row *own,
                                                                   uint32_t number, uint64_t callee,
                                                                   uint64_t frame, uint64_t stack) {
  struct thread_state *thread = thread_of(&ascribe_cell);
  return thread ? rows_pointer(thread, own, number, callee, frame, stack) : rows_on_standby();
}

__attribute__((used)) struct ascribe_row *ascribe_enter_call(uint64_t callee, uint64_t site) {
  struct ascribe_cell *cell = &ascribe_cell;
  struct thread_state *thread = thread_of(cell);
  return thread ? rows_enter_called(thread, cell->row, callee, site) : rows_on_standby();
}

/* Of code with counters. */
__attribute__((used)) void ascribe_enter_slow_call(uint64_t callee, uint64_t site) {
  struct thread_state *thread = thread_of(&ascribe_cell);
  if (thread) machine_step(thread, callee, site);
}
