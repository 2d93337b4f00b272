/* What each line of a source file cost, taken over all functions that are asked for. */
#ifndef ASCRIBE_REPORT_SOURCE_FIGURES_H
#define ASCRIBE_REPORT_SOURCE_FIGURES_H

#include "attribution/line_figures.h"
#include "report/line_copies.h"
#include "report/model.h"
#include "report/subject.h"

struct source_figures {
  const char *file;                   /* the profile's pointer; null: not known */
  struct subject_functions functions; /* count 0: all of the file */
  struct line_figures lines;
  uint32_t first, last;                   /* that have figures; first > last: none */
  bool totals_known;                      /* of a line, at least */
  const struct profile_expression **ways; /* of branches, cases and loops: expressions_sort_ways */
  size_t way_count;
  struct line_copy *copies; /* of lines that have others than their own */
  size_t copy_count;
  struct line_figure whole; /* of the functions; its calls are those of them */
  bool entries_known;
};

/* Functions: their lines in the file of their definition. Else all lines of `file`. */
void source_figures_make(const struct report_model *model,
                         const struct subject_functions *functions, const char *file,
                         struct source_figures *figures);
void source_figures_free(struct source_figures *figures);

/* The figures of a line; zeros where it has none. */
struct line_figure source_figures_of(const struct source_figures *figures, uint32_t line);

#endif
