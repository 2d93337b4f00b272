/* The program headers of an object whose tables are open. */
#ifndef ASCRIBE_UNWIND_SEGMENTS_H
#define ASCRIBE_UNWIND_SEGMENTS_H

#include "unwind/frame_tables.h"

/* Elf64_Phdr, wherever it stands. */
struct __attribute__((packed, may_alias)) unwind_segment {
  uint32_t p_type, p_flags;
  uint64_t p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
};

static inline const struct unwind_segment *unwind_segment(const struct unwind_tables *tables,
                                                          uint32_t number) {
  return (const struct unwind_segment *)(tables->image + tables->segments) + number;
}

/* The code at a link-time address goes to *code. How many bytes of it there are; 0: none. */
uint64_t unwind_code_at(const struct unwind_tables *tables, uint64_t address, const uint8_t **code);

#endif
