/* How far figures of two runs of one program lie apart, beside what their ticks explain. */
#ifndef ASCRIBE_COMPARE_SPREAD_H
#define ASCRIBE_COMPARE_SPREAD_H

#include <stdbool.h>

#include "compare/entries.h"

/* CPU time of the same work varies from run to run: mostly all functions together (frequency, other
 * threads of the core, the place of memory), each a little on its own. Two profiles cannot tell
 * the first from a change of all functions, so a difference has to be there both in the times as
 * they are, and once b's are scaled to a's whole, as far as that can be chance. Where runs tell how
 * far apart they lie, and most functions differ by one factor (common_factor.h), it has to hold
 * once b's are scaled by that factor, and to point the same way as they are. */
struct spread {
  double whole;  /* 95 %: the logarithms of two wholes lie at most this far apart by chance */
  double ratio;  /* b's times by a's, as far as chance explains it; 1: exact figures */
  bool common;   /* ratio: that of most functions; else that of the wholes */
  double own[2]; /* 95 %, of each side: of a figure's share, as a part of it */
  bool measured; /* by the runs of merged profiles, else assumed */
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
