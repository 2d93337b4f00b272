/* How figures grow with the size of the input: y = factor * n ^ exponent, fitted to runs of several
 * sizes ("scalable performance", section 2.2 of the paper on the visualizer). */
#ifndef ASCRIBE_COMPARE_GROWTH_H
#define ASCRIBE_COMPARE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

/* One run. */
struct growth_point {
  double n;           /* > 0 */
  double y;           /* the figure; points of 0 or less are left out: they have no logarithm */
  double uncertainty; /* 95 %, of y; 0: exact; NaN: not known */
};

struct growth {
  size_t points; /* that were used */
  double exponent;
  double factor;
  /* 95 %, of the exponent; infinity: not known.  The largest of what the uncertainties of the
   * points explain, what their distance from the curve does (three points or more), and how far the
   * exponent changes from the smallest n to twice the largest, where it certainly does: n + 50
   * comes near to n, and n log n is never a power of n. */
  double uncertainty;
  double misfit; /* the largest distance of a point from the curve, as a part of it */
};

/* Least squares of the logarithms, each point weighted by its relative uncertainty; where that of
 * one is not known, all alike. False, and *growth untouched, if there are not two points of
 * different n. */
bool growth_fit(const struct growth_point *points, size_t count, struct growth *growth);

#endif
