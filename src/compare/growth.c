#include "compare/growth.h"

#include <math.h>

#include "compare/student.h"

/* Even exact figures are no exact power of n: what is below one in a million is left alone, so that
 * an exact point cannot have all the weight. */
static const double LEAST_RELATIVE = 1e-6;
static const double Z95 = 1.96;

/* The points that can be used, as logarithms about their mean, so that nothing is lost in rounding.
 */
struct fit {
  const struct growth_point *points;
  size_t count, used;
  bool known; /* the uncertainty of each */
  double weight, mean_x, mean_y, xx, exponent;
};

static bool usable(const struct growth_point *point) {
  return point->n > 0 && point->y > 0 && isfinite(point->n) && isfinite(point->y);
}

static double weight_of(const struct fit *fit, const struct growth_point *point) {
  if (!fit->known) return 1;
  double relative = fmax(point->uncertainty / Z95 / point->y, LEAST_RELATIVE);
  return 1 / (relative * relative);
}

static double x_of(const struct fit *fit, const struct growth_point *point) {
  return log(point->n) - fit->mean_x;
}

/* How far above the straight line. */
static double off_of(const struct fit *fit, const struct growth_point *point) {
  return log(point->y) - fit->mean_y - fit->exponent * x_of(fit, point);
}

static void take_means(struct fit *fit) {
  for (size_t i = 0; i < fit->count; i++) {
    if (!usable(&fit->points[i])) continue;
    double weight = weight_of(fit, &fit->points[i]);
    fit->weight += weight;
    fit->mean_x += weight * log(fit->points[i].n);
    fit->mean_y += weight * log(fit->points[i].y);
    fit->used++;
  }
  if (!fit->used) return;
  fit->mean_x /= fit->weight;
  fit->mean_y /= fit->weight;
}

/* Whether there are two different n. */
static bool take_line(struct fit *fit) {
  double xy = 0;
  for (size_t i = 0; i < fit->count; i++) {
    if (!usable(&fit->points[i])) continue;
    double weight = weight_of(fit, &fit->points[i]), x = x_of(fit, &fit->points[i]);
    fit->xx += weight * x * x;
    xy += weight * x * off_of(fit, &fit->points[i]);
  }
  if (fit->used < 2 || fit->xx <= 1e-12 * fit->weight) return false;
  fit->exponent = xy / fit->xx;
  return true;
}

/* The standard error of the exponent, by the points' distance from the line. */
static double scatter(const struct fit *fit) {
  double squares = 0;
  for (size_t i = 0; i < fit->count; i++) {
    if (!usable(&fit->points[i])) continue;
    double off = off_of(fit, &fit->points[i]);
    squares += weight_of(fit, &fit->points[i]) * off * off;
  }
  return sqrt(squares / (fit->used - 2) / fit->xx);
}

static double misfit(const struct fit *fit) {
  double most = 0;
  for (size_t i = 0; i < fit->count; i++)
    if (usable(&fit->points[i])) most = fmax(most, fabs(expm1(off_of(fit, &fit->points[i]))));
  return most;
}

/* A parabola through the logarithms: line + bend * (x^2 - skew x - level), where what is between
 * the parentheses has nothing in common with the line. */
struct parabola {
  double skew, level, bend, error; /* error: standard, of bend */
};

/* False: there are no three different n. */
static bool take_parabola(const struct fit *fit, struct parabola *parabola) {
  double cubes = 0, own = 0, shared = 0;
  for (size_t i = 0; i < fit->count; i++)
    if (usable(&fit->points[i]))
      cubes += weight_of(fit, &fit->points[i]) * pow(x_of(fit, &fit->points[i]), 3);
  *parabola = (struct parabola){.skew = cubes / fit->xx, .level = fit->xx / fit->weight};
  for (size_t i = 0; i < fit->count; i++) {
    if (!usable(&fit->points[i])) continue;
    double weight = weight_of(fit, &fit->points[i]), x = x_of(fit, &fit->points[i]);
    double height = x * x - parabola->skew * x - parabola->level;
    own += weight * height * height;
    shared += weight * height * off_of(fit, &fit->points[i]);
  }
  if (own <= 1e-12 * fit->xx * parabola->level) return false;
  parabola->bend = shared / own;
  parabola->error = 1 / sqrt(own);
  return true;
}

/* How far the slope of the parabola goes from the exponent, from the smallest n to twice the
 * largest; 0 where chance may have bent it. */
static double change(const struct fit *fit) {
  struct parabola parabola;
  double least = INFINITY, most = -INFINITY;
  if (!fit->known || fit->used < 3 || !take_parabola(fit, &parabola) ||
      fabs(parabola.bend) <= Z95 * parabola.error)
    return 0;
  for (size_t i = 0; i < fit->count; i++) {
    if (!usable(&fit->points[i])) continue;
    least = fmin(least, x_of(fit, &fit->points[i]));
    most = fmax(most, x_of(fit, &fit->points[i]));
  }
  return fabs(parabola.bend) *
         fmax(fabs(2 * least - parabola.skew), fabs(2 * (most + log(2)) - parabola.skew));
}

bool growth_fit(const struct growth_point *points, size_t count, struct growth *growth) {
  struct fit fit = {.points = points, .count = count, .known = true};
  for (size_t i = 0; i < count; i++)
    fit.known &= !usable(&points[i]) || !isnan(points[i].uncertainty);
  take_means(&fit);
  if (!take_line(&fit)) return false;
  double uncertainty = fit.known ? Z95 / sqrt(fit.xx) : INFINITY;
  double apart = fit.used > 2 ? student(fit.used - 2) * scatter(&fit) : uncertainty;
  *growth = (struct growth){.points = fit.used,
                            .exponent = fit.exponent,
                            .factor = exp(fit.mean_y - fit.exponent * fit.mean_x),
                            .uncertainty =
                                fit.known ? fmax(fmax(uncertainty, apart), change(&fit)) : apart,
                            .misfit = misfit(&fit)};
  return true;
}
