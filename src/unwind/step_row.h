/* From a frame to its caller's with all registers: what rules have no room for. */
#ifndef ASCRIBE_UNWIND_STEP_ROW_H
#define ASCRIBE_UNWIND_STEP_ROW_H

#include "unwind/frame_row.h"
#include "unwind/step.h"

/* As unwind_step; the registers that the callee had to save stay known. Async-signal-safe. */
enum unwind_end unwind_step_row(const struct unwind_tables *tables, const struct unwind_row *row,
                                struct unwind_frame *frame, const struct unwind_memory *memory);

#endif
