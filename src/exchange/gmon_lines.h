/* How often lines of the source were executed, as far as a gmon.out tells: functions by their
 * calls, basic blocks by counts of their own. */
#ifndef ASCRIBE_EXCHANGE_GMON_LINES_H
#define ASCRIBE_EXCHANGE_GMON_LINES_H

#include "exchange/gmon_graph.h"
#include "report/gprof_source.h"

struct gmon_lines {
  const struct gmon *gmon;
  const struct gmon_places *places;   /* located */
  const struct call_graph *graph;     /* of the places, propagated */
  const struct text_symbols *symbols; /* of the executable */
  struct symbol_file *file;           /* the same, with its lines */
  const struct graph_choice *chosen;  /* by place: the others are left out */
  uint64_t block_minimum;             /* blocks that were executed less often are left out */
  bool repeated;                      /* all lines of a function or block, too */
};

/* By file, line and address; several places of one line stay apart. Strings are the places' and the
 * file's. The array is the caller's. */
struct gprof_line *gmon_lines_make(const struct gmon_lines *from, size_t *count);

#endif
