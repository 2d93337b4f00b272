/* The entries of .eh_frame: a frame description entry (FDE) for each piece of code, with what its
 * common information entry (CIE) says for several. LSB 5.0, 10.6.1. */
#ifndef ASCRIBE_UNWIND_ENTRY_H
#define ASCRIBE_UNWIND_ENTRY_H

#include "unwind/byte_cursor.h"
#include "unwind/frame_tables.h"

struct unwind_entry {
  uint64_t begin, end;                 /* link-time addresses of the code */
  struct byte_cursor initial, program; /* call frame instructions: the CIE's, then the FDE's */
  uint64_t code_alignment;
  int64_t data_alignment;
  uint64_t return_register;
  uint8_t pointer_encoding;
  bool signal_frame;
};

/* The entry of the code at a link-time address. 0, or -1 where none is found. */
int unwind_entry_find(const struct unwind_tables *tables, uint64_t address,
                      struct unwind_entry *entry);

/* True if the address lies in a long stretch of code that no entry describes: a whole program's
 * worth made by another compiler than C's, as the functions that V8 brings along, and not a routine
 * in assembly without entries.  Such code keeps frame pointers, if anything does. */
bool unwind_entries_left_out(const struct unwind_tables *tables, uint64_t address);

/* Read the FDE that stands at `offset`. Returns the offset of the next entry, or 0 where there is
 * none. *is_code: it is a well-formed FDE; then *entry is set. */
uint64_t unwind_entry_read(const struct unwind_tables *tables, uint64_t offset,
                           struct unwind_entry *entry, bool *is_code);

#endif
