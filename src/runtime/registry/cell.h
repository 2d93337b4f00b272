/* The calling thread's cell and the inert gate, defined in process.c; instrumented objects refer
 * to them by these names (include/ascribe/hook.h). */
#ifndef ASCRIBE_RUNTIME_CELL_H
#define ASCRIBE_RUNTIME_CELL_H

#include "ascribe/hook.h"

extern __attribute__((visibility("default"))) struct ascribe_gate ascribe_inert_gate;
extern __attribute__((visibility("default"))) __thread struct ascribe_cell
    ascribe_cell __asm__("ascribe.cell");

/* The id of the context. What comes between a function and its piece (a tick, a handler) may find
 * it marked. */
static inline uint32_t cell_context(const struct ascribe_cell *cell) {
  return cell->context & ~ASCRIBE_CONTINUES;
}

#endif
