/* Frames of code made by Go, which has no .eh_frame: its compiler's own table (.gopclntab) tells
 * how far the stack pointer is below the return address at each program counter. Source: the
 * runtime of Go 1.18 and later, symtab.go (pcHeader, functab, _func, pcvalue). */
#ifndef ASCRIBE_UNWIND_GO_TABLE_H
#define ASCRIBE_UNWIND_GO_TABLE_H

#include "unwind/frame_row.h"

/* Take the table at [offset, offset + bytes) of the image; `text` is where .text begins.  A table
 * of another version is taken as an empty one. */
void unwind_go_table_open(struct unwind_tables *tables, uint64_t offset, uint64_t bytes,
                          uint64_t text);

/* The row for a link-time address. 0, or -1 where the table has none.  Async-signal-safe. */
int unwind_go_row(const struct unwind_tables *tables, uint64_t address, struct unwind_row *row);

#endif
