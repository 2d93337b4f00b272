/* Figures of one function along an axis, to be plotted: times of runs, or sizes of inputs. */
#ifndef ASCRIBE_VIEW_SERIES_H
#define ASCRIBE_VIEW_SERIES_H

#include "view/view.h"

/* Parameters:
 *   of    runs    of a merged profile: one point for each run
 *         ranks   of a merged profile of a parallel job: one row for each rank, the whole of it (id
 *                 is ignored): run, rank, host, calls, ticks, self_ns (all of its figures: 100 %),
 *                 total_ns (its CPU time), user_ns, system_ns
 *         growth  one point for each profile, where they have sizes
 *   id    of the function in the first profile; none: the costliest, `most` of them (default
 *         SERIES_MOST), whose rows have their id as the first column
 * The answer has axis ("time": nanoseconds since 1970; "rank"; "n"), of ranks metric (the name of
 * the profile's first, which their figures are of), and of runs and growth rows with columns x,
 * calls, self_ns, self_uncertainty_ns, total_ns, total_uncertainty_ns, in the order of x, and for
 * runs `run`, its id. */
enum { SERIES_MOST = 500 };

int series_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error);

#endif
