/* The power law that is fitted, and how sure its exponent is. */
#include "compare/growth.h"

#include <math.h>

#include "check.h"

static bool near(double a, double b) {
  return fabs(a - b) < 1e-6 * fmax(1, fabs(b));
}

static void exact_powers(void) {
  struct growth growth;
  const struct growth_point square[] = {{10, 300, 0}, {20, 1200, 0}, {40, 4800, 0}, {80, 19200, 0}};
  CHECK(growth_fit(square, 4, &growth));
  CHECK(near(growth.exponent, 2));
  CHECK(near(growth.factor, 3));
  CHECK_EQUAL(growth.points, 4);
  CHECK(growth.uncertainty < 1e-4);
  const struct growth_point constant[] = {{10, 7, 0}, {1000, 7, 0}};
  CHECK(growth_fit(constant, 2, &growth));
  CHECK(near(growth.exponent, 0));
  CHECK(near(growth.factor, 7));
}

/* n (n - 1) / 2 is no power of n: its exponent is near 2, and its uncertainty says so. */
static void pairs(void) {
  struct growth growth;
  const struct growth_point points[] = {{10, 45, 0}, {20, 190, 0}, {40, 780, 0}, {80, 3160, 0}};
  CHECK(growth_fit(points, 4, &growth));
  CHECK(growth.exponent > 2 && growth.exponent < 2.1);
  CHECK(growth.exponent - growth.uncertainty < 2.05);
  CHECK(growth.uncertainty > 0.01 && growth.uncertainty < 0.2);
}

/* Of two points the exponent's uncertainty is that of their quotient. */
static void sampled(void) {
  struct growth growth;
  const struct growth_point points[] = {{1000, 1, 0.1}, {2000, 4, 0.4}};
  CHECK(growth_fit(points, 2, &growth));
  CHECK(near(growth.exponent, 2));
  CHECK(near(growth.uncertainty, sqrt(2) * 0.1 / log(2)));
}

/* The better known points have the say. */
static void weighted(void) {
  struct growth growth;
  const struct growth_point points[] = {{1, 1, 0.01}, {10, 10, 0.1}, {100, 1000, 900}};
  CHECK(growth_fit(points, 3, &growth));
  CHECK(fabs(growth.exponent - 1) < 0.01);
}

static void unusable(void) {
  struct growth growth = {.points = 99};
  const struct growth_point zero[] = {{10, 0, 1}, {20, 5, 1}};
  const struct growth_point same[] = {{10, 4, 1}, {10, 5, 1}, {10, 6, 1}};
  const struct growth_point wild[] = {{10, NAN, 1}, {20, INFINITY, 1}, {-1, 5, 1}, {30, 5, 1}};
  CHECK(!growth_fit(zero, 2, &growth));
  CHECK(!growth_fit(same, 3, &growth));
  CHECK(!growth_fit(wild, 4, &growth));
  CHECK(!growth_fit(NULL, 0, &growth));
  CHECK_EQUAL(growth.points, 99);
}

int main(void) {
  exact_powers();
  pairs();
  sampled();
  weighted();
  unusable();
  return check_result();
}
