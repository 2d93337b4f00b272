#include "unwind/frame_row.h"

#include "unwind/code.h"
#include "unwind/frame_program.h"
#include "unwind/go_table.h"

int unwind_find_row(const struct unwind_tables *tables, uint64_t address, struct unwind_row *row) {
  struct unwind_entry entry;
  if (unwind_entry_find(tables, address, &entry) != 0) {
    if (tables->go_functions && unwind_go_row(tables, address, row) == 0) return 0;
    return unwind_row_of_code(tables, address, row);
  }
  /* Columns of its own for the return address are no x86-64 compiler's. */
  if (entry.return_register != UNWIND_RIP) return -1;
  return unwind_frame_program(tables, &entry, address, row);
}
