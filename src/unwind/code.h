/* Code without call frame information that tells its frame by its instructions. */
#ifndef ASCRIBE_UNWIND_CODE_H
#define ASCRIBE_UNWIND_CODE_H

#include "unwind/frame_row.h"

/* The row for the code at a link-time address: of the restorers that signal handlers return to, of
 * what coroutines return to, of an object's entry point, of gcc's own destructor of an object, and
 * of stubs of the procedure linkage table (PLT), which some linkers describe nowhere. 0, or -1. */
int unwind_row_of_code(const struct unwind_tables *tables, uint64_t address,
                       struct unwind_row *row);

#endif
