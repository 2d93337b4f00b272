#include "compare/growth.h"

#include <math.h>

/* Even exact figures are no exact power of n: what is below one in a million is left alone, so that
 * an exact point cannot have all the weight. */
static const double LEAST_RELATIVE = 1e-6;
static const double Z95 = 1.96;

/* Student's t for 95 %, by degrees of freedom. */
static double student(size_t freedom) {
  static const double table[] = {INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571,
                                 2.447,    2.365,  2.306, 2.262, 2.228};
  size_t known = sizeof table / sizeof *table;
  return freedom < known ? table[freedom] : Z95 + 2.5 / freedom;
}

struct sums {
  double weight, x, y, xx, xy;
  size_t points;
};

static bool usable(const struct growth_point *point) {
  return point->n > 0 && point->y > 0 && isfinite(point->n) && isfinite(point->y);
}

static double weight_of(const struct growth_point *point) {
  double relative = fmax(point->uncertainty / Z95 / point->y, LEAST_RELATIVE);
  return 1 / (relative * relative);
}

static struct sums add_up(const struct growth_point *points, size_t count) {
  struct sums sums = {0};
  for (size_t i = 0; i < count; i++) {
    if (!usable(&points[i])) continue;
    double weight = weight_of(&points[i]), x = log(points[i].n), y = log(points[i].y);
    sums.weight += weight;
    sums.x += weight * x;
    sums.y += weight * y;
    sums.points++;
  }
  if (!sums.points) return sums;
  sums.x /= sums.weight;
  sums.y /= sums.weight;
  for (size_t i = 0; i < count; i++) { /* about the mean, so that nothing is lost in rounding */
    if (!usable(&points[i])) continue;
    double x = log(points[i].n) - sums.x;
    sums.xx += weight_of(&points[i]) * x * x;
    sums.xy += weight_of(&points[i]) * x * (log(points[i].y) - sums.y);
  }
  return sums;
}

/* The standard error of the exponent, by the points' distance from the curve. */
static double scatter(const struct growth_point *points, size_t count, const struct sums *sums,
                      double exponent) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) {
    if (!usable(&points[i])) continue;
    double expected = sums->y + exponent * (log(points[i].n) - sums->x);
    double off = log(points[i].y) - expected;
    squares += weight_of(&points[i]) * off * off;
  }
  return sqrt(squares / (sums->points - 2) / sums->xx);
}

bool growth_fit(const struct growth_point *points, size_t count, struct growth *growth) {
  struct sums sums = add_up(points, count);
  if (sums.points < 2 || sums.xx <= 1e-12 * sums.weight) return false;
  double exponent = sums.xy / sums.xx, uncertainty = Z95 / sqrt(sums.xx);
  if (sums.points > 2)
    uncertainty =
        fmax(uncertainty, student(sums.points - 2) * scatter(points, count, &sums, exponent));
  *growth = (struct growth){sums.points, exponent, exp(sums.y - exponent * sums.x), uncertainty};
  return true;
}
