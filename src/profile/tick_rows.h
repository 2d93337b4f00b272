/* What was measured, and where: lines, stacks of lines, instructions. */
#ifndef ASCRIBE_PROFILE_TICK_ROWS_H
#define ASCRIBE_PROFILE_TICK_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* What was measured somewhere.  `ticks` is evidence: delivered samples.  `raw_ns` is the
 * estimate: the CPU time that they stand for, before it is scaled to that of the process (books.h).
 * Of another unit than time where its metric (metrics.h) names one. */
struct amount {
  uint64_t ticks;
  uint64_t raw_ns;
  uint64_t unseen_ns; /* raw: so much more of it may be where stacks are cut off */
  double variance;    /* EVIDENCE_SIZED: of raw_ns, squared; else 0 */
};

static inline struct amount amount_sum(struct amount a, struct amount b) {
  return (struct amount){a.ticks + b.ticks, a.raw_ns + b.raw_ns, a.unseen_ns + b.unseen_ns,
                         a.variance + b.variance};
}

/* A line that ticks fell on while its function ran, or that called when they did. */
struct profile_line {
  uint32_t function;
  uint32_t line;
  const char *file; /* or null */
};

/* The lines that had called when ticks fell: this one, below `parent`'s, which come earlier in the
 * array (NOTHING: none).  Unlike a history it is the whole stack, of all its frames, inlined ones
 * included: only of cycles of calls that stand more than twice in succession two are left.  Without
 * a line (NOTHING) it is the root or, further in, says that frames may be missing there. */
struct profile_stack {
  uint32_t parent;
  uint32_t line;
};

struct profile_tick {
  uint32_t context;
  uint32_t line;
  uint32_t stack;  /* the lines that had called; NOTHING: not known, as no stack was sampled */
  uint32_t centre; /* context of profile->centres; NOTHING: in none */
  uint32_t kind;   /* of memory; NOTHING: of something else, or not known at all */
  struct amount amount;
};

/* An instruction that ticks fell on: `offset` in `object`, or the address itself without one. */
struct profile_instruction {
  uint32_t line;
  uint32_t column; /* 0: not known */
  uint32_t object; /* or NOTHING */
  uint64_t offset;
  struct amount self;
  uint32_t within;    /* the function whose code it is, not one inlined into it; or NOTHING */
  uint32_t expansion; /* how its source came there, or NOTHING */
  const char *clone;  /* of `within`, or null: itself */
};

#endif
