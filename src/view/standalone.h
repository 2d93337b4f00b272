/* A profile as one page that needs nothing else: no server, no network. */
#ifndef ASCRIBE_VIEW_STANDALONE_H
#define ASCRIBE_VIEW_STANDALONE_H

#include "view/view.h"

/* With two profiles, a comparison of them by some expressions; with sizes (view_note_sizes),
 * growth. What large profiles leave out is said in the page: each table says how many rows there
 * are, and `sources_left_out` how many texts have no room, `counted` how many expressions and
 * lines each file has; plots are of SERIES_MOST functions. */
enum {
  STANDALONE_ROWS = 5000,            /* of each table, the costliest */
  STANDALONE_RANGES = 20000,         /* of expressions, of counted lines: 0 is a figure, too */
  STANDALONE_SOURCE_BYTES = 4 << 20, /* of all texts of a profile, the costliest first */
  STANDALONE_THREADS = 12,           /* with flame graphs of their own, the costliest */
  STANDALONE_CODES = 20,             /* functions with their machine code, the costliest */
  STANDALONE_CODE_BYTES = 2 << 20,   /* of all of it */
  STANDALONE_FLAME_WIDTH = 3000,     /* frames below half a pixel of that are left out */
  STANDALONE_EXPRESSIONS = 8         /* that users ask for */
};

struct standalone {
  struct view *view;
  const char *by[STANDALONE_EXPRESSIONS]; /* also compared by these, two profiles */
  size_t by_count;
};

/* A wrong expression fails with a line that names it. */
int standalone_write(const struct standalone *page, FILE *out, struct error *error);

#endif
