/* The call frame instructions of one entry (DWARF 3, 6.4.2), run up to an address. */
#ifndef ASCRIBE_UNWIND_FRAME_PROGRAM_H
#define ASCRIBE_UNWIND_FRAME_PROGRAM_H

#include "unwind/entry.h"
#include "unwind/frame_row.h"

/* 0, or -1 where an instruction is unknown or wrong: then *row holds anything. */
int unwind_frame_program(const struct unwind_tables *tables, const struct unwind_entry *entry,
                         uint64_t address, struct unwind_row *row);

#endif
