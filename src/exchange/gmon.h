/* gmon.out: what programs compiled with -pg leave, as glibc's <sys/gmon_out.h> lays it out.
 *
 * A header ("gmon", version 1), then records of three kinds: histograms of the program counter,
 * arcs with the number of their calls, counts of basic blocks.  Addresses are as linked.  The file
 * does not say how large a pointer is: the executable does. */
#ifndef ASCRIBE_EXCHANGE_GMON_H
#define ASCRIBE_EXCHANGE_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* counts[i]: samples in [low + i * step, low + (i + 1) * step), step = (high - low) / bins. */
struct gmon_histogram {
  uint64_t low, high;
  uint64_t *counts;
  uint32_t bins;
};

struct gmon_arc {
  uint64_t from, to; /* return address in the caller; in the callee */
  uint64_t calls;
};

struct gmon_block {
  uint64_t address, count;
};

/* The sum of all files that were read. All zeros: none. */
struct gmon {
  uint32_t rate; /* samples a second; 0: there is no histogram */
  char dimension[16], abbreviation;
  struct gmon_histogram *histograms; /* by address; none overlap */
  struct gmon_arc *arcs;             /* each once, as they are met in the files */
  struct gmon_block *blocks;         /* each once, by address */
  size_t histogram_count, arc_count, block_count;
  size_t histogram_records, arc_records, block_records; /* as they stand in the files */
};

/* How a file was written. */
struct gmon_form {
  unsigned pointer_bytes; /* 4 or 8; 0: as the first file shows */
  bool big_endian;        /* set by reading */
};

/* Add a file of `count` bytes, `name` for messages.  Fails, with the sum unchanged in no part that
 * matters, if it is damaged, of the old BSD form, or does not fit what was read before. */
int gmon_add(struct gmon *gmon, const char *name, const unsigned char *bytes, size_t count,
             struct gmon_form *form, struct error *error);

/* Sum equal arcs and blocks: after the last file. */
void gmon_sum(struct gmon *gmon);

/* One file with everything; counts beyond what a field holds take several records. Errors are the
 * stream's. */
void gmon_write(const struct gmon *gmon, const struct gmon_form *form, FILE *out);

void gmon_free(struct gmon *gmon);

#endif
