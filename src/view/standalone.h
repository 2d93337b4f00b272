/* A profile as one page that needs nothing else: no server, no network. */
#ifndef ASCRIBE_VIEW_STANDALONE_H
#define ASCRIBE_VIEW_STANDALONE_H

#include "view/view.h"

/* With two profiles, a comparison of them by some expressions.
 * What large profiles leave out is said in the page: each table says how many rows there are, and
 * `sources_left_out` how many texts have no room. */
enum {
  STANDALONE_ROWS = 5000,            /* of each table, the costliest */
  STANDALONE_SOURCE_BYTES = 4 << 20, /* of all texts, the costliest first */
  STANDALONE_THREADS = 12,           /* with flame graphs of their own, the costliest */
  STANDALONE_FLAME_WIDTH = 3000      /* frames below half a pixel of that are left out */
};

int standalone_write(struct view *view, FILE *out, struct error *error);

#endif
