/* The figures of source lines: time, calls made, executions, over all functions that share a line.
 * The report, the profile (its view source_lines) and the viewer all take them from here. */
#ifndef ASCRIBE_ATTRIBUTION_LINE_FIGURES_H
#define ASCRIBE_ATTRIBUTION_LINE_FIGURES_H

#include <stdbool.h>

#include "profile/cost_figures.h"
#include "profile/profile.h"

struct line_figure {
  const char *file;
  uint32_t line;
  struct amount self;
  struct amount total; /* each tick once (line_groups.h) */
  bool total_known;
  uint64_t calls; /* counted calls that the line made */
  bool has_code;  /* its executions were counted */
  bool macro;     /* has_code: only the text of macros was counted */
  bool unsure;    /* `executed` is 0, but ticks hit the line: the count misses some of its code */
  uint64_t executed;
};

struct line_figures {
  struct line_figure *lines; /* by file name, then line; those with a figure */
  size_t count;
};

/* Which lines and which costs to include. */
struct line_question {
  const char *file;     /* null: all */
  const bool *member;   /* by function; null: all */
  const bool *selected; /* by context (costs_select) */
  bool without_counts;  /* leave executions out: they belong to the whole */
};

/* To be freed with line_figures_free. */
void line_figures_make(const struct profile *profile, const struct costs *costs,
                       const struct line_question *question, struct line_figures *figures);
void line_figures_free(struct line_figures *figures);

#endif
