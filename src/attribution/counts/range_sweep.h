/* From ranges of source text to its lines: which range tells how often a line was executed. That is
 * the most executed of those that begin in the line, or the innermost that the line begins in, if
 * that was executed more often.
 * Source: LLVM's LineCoverageStats, as `llvm-cov show` has its lines. */
#ifndef ASCRIBE_ATTRIBUTION_RANGE_SWEEP_H
#define ASCRIBE_ATTRIBUTION_RANGE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swept_range {
  uint32_t line, last; /* where it begins, from 1; the last line that begins in it */
  uint64_t count;
  bool tells;   /* of the line that it begins in, too */
  bool skipped; /* there is no code in it: its lines, the first too, are not known by what is around
                 */
};

/* To be used up from the first line on. */
struct range_sweep {
  const struct swept_range *ranges; /* each before those that lie in it, in the order of lines */
  size_t count;
  uint64_t *budget; /* how many lines without the beginning of a range may still be told of */
  uint32_t line;
  size_t next;  /* range */
  size_t *open; /* ranges that lines behind may begin in, the innermost last */
  size_t depth; /* of `open` */
};

/* `ranges` and `budget` are used until the sweep is closed. */
void range_sweep_open(struct range_sweep *sweep, const struct swept_range *ranges, size_t count,
                      uint64_t *budget);
void range_sweep_close(struct range_sweep *sweep);

/* The next line that a range tells of, and which one. False: there is no more. */
bool range_sweep_next(struct range_sweep *sweep, uint32_t *line, size_t *range);

#endif
