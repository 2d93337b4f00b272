#include "unwind/segments.h"

#include <elf.h>

static bool is_code(const struct unwind_segment *segment) {
  return segment->p_type == PT_LOAD && segment->p_flags & PF_X;
}

int unwind_tables_bias(const struct unwind_tables *tables, uint64_t start, uint64_t length,
                       uint64_t offset, uint64_t *bias) {
  for (uint32_t i = 0; i < tables->segment_count; i++) {
    const struct unwind_segment *segment = unwind_segment(tables, i);
    if (!is_code(segment) || offset + length <= segment->p_offset ||
        offset >= segment->p_offset + segment->p_filesz)
      continue;
    *bias = start - offset + segment->p_offset - segment->p_vaddr;
    return 0;
  }
  return -1;
}

uint64_t unwind_code_at(const struct unwind_tables *tables, uint64_t address,
                        const uint8_t **code) {
  for (uint32_t i = 0; i < tables->segment_count; i++) {
    const struct unwind_segment *segment = unwind_segment(tables, i);
    uint64_t at = address - segment->p_vaddr;
    if (!is_code(segment) || at >= segment->p_filesz) continue;
    uint64_t offset = segment->p_offset + at, left = segment->p_filesz - at;
    if (offset < segment->p_offset || offset >= tables->bytes) return 0;
    *code = tables->image + offset;
    return left < tables->bytes - offset ? left : tables->bytes - offset;
  }
  return 0;
}
