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

/* How sure it is that the exponent is between the one at n and those around it. */
static void certain(const struct growth_point *points, size_t count, double least, double most) {
  struct growth growth;
  CHECK(growth_fit(points, count, &growth));
  if (growth.exponent - growth.uncertainty > least || growth.exponent + growth.uncertainty < most)
    printf("%g +- %g does not hold %g to %g\n", growth.exponent, growth.uncertainty, least, most);
  CHECK(growth.exponent - growth.uncertainty <= least);
  CHECK(growth.exponent + growth.uncertainty >= most);
  CHECK(growth.uncertainty < 0.25);
}

/* What comes near to a power only as n grows: more sizes must not make its exponent surer than it
 * is. n log n has the exponent 1 + 1 / ln n at n. */
static void bent(void) {
  struct growth_point lower[6], offset[6], logarithm[6];
  for (int i = 0; i < 6; i++) {
    double n = 1000 << i;
    lower[i] = (struct growth_point){n, n * n + 50 * n, 0};
    offset[i] = (struct growth_point){n, n + 50, 0};
    logarithm[i] = (struct growth_point){n, n * log2(n), 0};
  }
  for (size_t count = 3; count <= 6; count++) {
    double largest = 1000 << (count - 1);
    certain(lower, count, 2, 2);
    certain(offset, count, 1, 1);
    certain(logarithm, count, 1 + 1 / log(largest), 1 + 1 / log(1000));
  }
}

/* Chance bends what is sampled, which says nothing more. */
static void bent_by_chance(void) {
  struct growth growth;
  const struct growth_point points[] = {{10, 1.1, 0.3}, {20, 1.9, 0.6}, {40, 4.1, 1.2}, {80, 8, 2}};
  CHECK(growth_fit(points, 4, &growth));
  CHECK(growth.uncertainty > 0.1 && growth.uncertainty < 0.2);
  CHECK(growth.misfit > 0.03 && growth.misfit < 0.1);
}

/* What is not known is not exact. */
static void unknown_uncertainty(void) {
  struct growth growth;
  const struct growth_point points[] = {{10, 10, NAN}, {20, 20, NAN}, {40, 41, 0.1}};
  CHECK(growth_fit(points, 2, &growth));
  CHECK(near(growth.exponent, 1));
  CHECK(isinf(growth.uncertainty));
  CHECK(growth_fit(points, 3, &growth));
  CHECK(growth.uncertainty > 0.01 && growth.uncertainty < 1);
}

/* Several runs of one size. */
static void repeated(void) {
  struct growth growth;
  const struct growth_point points[] = {{10, 10, 0}, {10, 11, 0}, {20, 20, 0}, {20, 22, 0}};
  CHECK(growth_fit(points, 4, &growth));
  CHECK(fabs(growth.exponent - 1) < 1e-6);
  CHECK(growth.uncertainty > 0.1 && growth.uncertainty < 1);
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
  bent();
  bent_by_chance();
  unknown_uncertainty();
  repeated();
  sampled();
  weighted();
  unusable();
  return check_result();
}
