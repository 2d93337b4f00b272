/* The growth of a kind's entries as a table that rows are joined with. */
#ifndef ASCRIBE_VIEW_GROWING_H
#define ASCRIBE_VIEW_GROWING_H

#include "view/view.h"

/* Fill, if that was not done before, the workspace's table `growth`: kind, id (of the first
 * profile's entries), and for each of calls, self and total FIGURE_exponent,
 * FIGURE_exponent_uncertainty (95 %; NULL: not known) and FIGURE_faster (1: than the whole); NULL
 * where there are no two points.  The whole's are in the row of kind -1; the
 * table `size` has profile and n.  Fails where the profiles
 * have no sizes. */
int growing_fill(struct view *view, enum compared_kind kind, struct error *error);

#endif
