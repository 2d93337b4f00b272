/* The calling thread's cell and the inert row and gate, defined in process.c; instrumented objects
 * refer to them by these names (include/ascribe/hook.h). */
#ifndef ASCRIBE_RUNTIME_CELL_H
#define ASCRIBE_RUNTIME_CELL_H

#include "ascribe/hook.h"

extern __attribute__((visibility("default"))) struct ascribe_gate ascribe_inert_gate;
extern __attribute__((visibility("default"))) struct ascribe_row ascribe_inert_row;
extern __attribute__((visibility("default"))) __thread struct ascribe_cell
    ascribe_cell __asm__("ascribe.row");

#endif
