/* How far figures of two runs of one program lie apart, beside what their ticks explain. */
#ifndef ASCRIBE_COMPARE_SPREAD_H
#define ASCRIBE_COMPARE_SPREAD_H

#include <stdbool.h>

#include "compare/entries.h"

/* CPU time of the same work varies from run to run: mostly all functions together (frequency, other
 * threads of the core, the place of memory), each a little on its own. Two profiles cannot tell
 * the first from a change of all functions, so a difference has to be there both in the times as
 * they are, and once b's are scaled to a's whole, as far as that can be chance. */
struct spread {
  double whole;  /* 95 %: the logarithms of two wholes lie at most this far apart by chance */
  double ratio;  /* b's whole by a's, brought nearer to 1 than chance explains; 1: exact figures */
  double own[2]; /* 95 %, of each side: of a figure's share, as a part of it */
  bool measured; /* whole: by the runs of a merged profile, else assumed */
  int runs[2];
};

/* Finds the spread of these profiles of the workspace. Zero, with a ratio of 1, if figures are
 * exact. */
int spread_find(struct workspace *workspace, size_t first, size_t second, struct spread *spread,
                struct error *error);

/* Widen the uncertainties of the functions of a profile of several runs, side 0 or 1, where these
 * lie further apart than ticks explain. */
int spread_widen(const struct spread *spread, int side, struct workspace *workspace, size_t profile,
                 struct entry_figures *figures, struct error *error);

#endif
