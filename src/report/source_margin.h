/* Source text with figures in its margin: what is shown, and the columns of one line. */
#ifndef ASCRIBE_REPORT_SOURCE_MARGIN_H
#define ASCRIBE_REPORT_SOURCE_MARGIN_H

#include "report/listing.h"
#include "report/source_figures.h"
#include "report/source_lines.h"

struct source {
  const struct listing *listing;
  struct source_figures figures;
  struct source_lines text;
  uint32_t first, last; /* lines to be shown */
  bool has_costs, has_calls, has_counts;
};

/* Totals in time, not only as shares: on narrow terminals the text needs their room. */
bool margin_has_total_times(const struct source *source);

/* Columns of the whole margin. */
int margin_width(const struct source *source);

/* One after the other they fill the margin: of a line, or of a note below one, where `calls` 0 and
 * `has_code` false leave blanks. */
void margin_figures(const struct source *source, const struct line_figure *figure);
void margin_executed(const struct source *source, const struct line_figure *figure);
void margin_calls(const struct source *source, uint64_t calls);

/* What is known of a line besides, below it: the ways of its conditions, the trips of its loops,
 * its copies (source_notes.c). */
void source_notes(const struct source *source, uint32_t line);

#endif
