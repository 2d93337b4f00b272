/* The unwind tables of one object: .eh_frame, or what Go has in its place, found and read where it
 * lies in the object's file.
 *
 * Freestanding and async-signal-safe: no allocation, no lock, no library call, general registers
 * only. Every load is bounded by the image: hostile bytes give "no rule".
 * Sources: Linux Standard Base 5.0, "Exception Frames" (.eh_frame, .eh_frame_hdr); DWARF 3, 6.4. */
#ifndef ASCRIBE_UNWIND_FRAME_TABLES_H
#define ASCRIBE_UNWIND_FRAME_TABLES_H

#include <stdbool.h>
#include <stdint.h>

/* All offsets are the image's; a link-time address is one that the object's program headers speak
 * of. Made by unwind_tables_open; read-only afterwards, so any number of threads may use it. */
struct unwind_tables {
  const uint8_t *image; /* the caller's; stays valid and unchanged as long as this is used */
  uint64_t bytes;
  uint64_t segments;      /* where the program headers stand */
  uint32_t segment_count; /* all of them within the image */
  uint32_t entry_count;   /* of the sorted table of .eh_frame_hdr; 0: there is none */
  uint64_t entries;       /* where that table stands */
  uint64_t entries_base;  /* link-time address that its entries are relative to */
  uint64_t entry_point;   /* link-time address */
  uint64_t frames;        /* .eh_frame, from its begin or from a place where an entry begins */
  uint64_t frames_end;    /* the end of it, or of the segment that holds it */
  uint64_t frames_base;   /* link-time address of offset 0, for what stands in .eh_frame */
  /* go_table.h: where functions, sorted by code, and their stack values stand; 0: it is no Go. */
  uint64_t go_functions, go_values, go_end;
  uint64_t go_text; /* link-time address that functions are relative to */
  uint32_t go_function_count, go_flag_at;
};

/* Find the tables in the bytes of a 64-bit x86-64 ELF file, or in the vdso's memory. 0, or -1 where
 * it is no such file or has no tables: then *tables stays as it was. */
int unwind_tables_open(struct unwind_tables *tables, const void *image, uint64_t bytes);

/* An executable mapping of the object lies at [start, start + length) and begins at `offset` of its
 * file. Finds *bias: link-time address = address in the process - *bias. 0, or -1 where no
 * executable segment lies there. */
int unwind_tables_bias(const struct unwind_tables *tables, uint64_t start, uint64_t length,
                       uint64_t offset, uint64_t *bias);

#endif
