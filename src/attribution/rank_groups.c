#include "attribution/rank_groups.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/run_spread.h"

enum {
  DIMENSIONS = 64, /* the largest functions apart, the last for all others */
  OTHERS = DIMENSIONS - 1,
  LEAST_TICKS = 5, /* of a function in the mean run: with fewer its error is another one */
  ROUNDS = 50
};

/* A run as a point: its functions' square roots of shares. */
struct point {
  double root[DIMENSIONS];
  double weight; /* 1 / the variance of each root: 4 times its ticks; 0: the run has none */
  double ns;
  uint32_t group;
};

struct points {
  size_t count, with_ticks, dimensions;
  struct point *list;
  uint32_t functions[OTHERS]; /* by dimension */
};

/* ---- points ---- */

struct self_sum {
  uint32_t function;
  double ns;
};

static int larger_first(const void *a, const void *b) {
  const struct self_sum *one = a, *other = b;
  if (one->ns != other->ns) return one->ns > other->ns ? -1 : 1;
  return one->function < other->function ? -1 : one->function > other->function;
}

/* The dimension of each function. */
static uint8_t *choose_dimensions(const struct profile *profile, struct points *points) {
  struct self_sum *amounts = memory_zeroed(profile->function_count, sizeof *amounts);
  uint8_t *dimension = memory_zeroed(profile->function_count, 1);
  double whole = 0, ticks = 0;
  memset(dimension, OTHERS, profile->function_count);
  for (uint32_t i = 0; i < profile->function_count; i++)
    amounts[i].function = i;
  for (size_t i = 0; i < profile->run_cost_count; i++) {
    amounts[profile->run_costs[i].function].ns += profile->run_costs[i].self_ns;
    whole += profile->run_costs[i].self_ns;
  }
  for (size_t i = 0; i < profile->run_count; i++)
    ticks += profile->runs[i].ticks;
  qsort(amounts, profile->function_count, sizeof *amounts, larger_first);
  for (size_t i = 0; i < profile->function_count && points->dimensions < OTHERS; i++) {
    if (!(amounts[i].ns * ticks >= LEAST_TICKS * whole * profile->run_count)) break;
    dimension[amounts[i].function] = points->dimensions;
    points->functions[points->dimensions++] = amounts[i].function;
  }
  free(amounts);
  return dimension;
}

/* The square root of a share, by Freeman and Tukey's formula (Transformations related to the
 * angular and the square root, 1950): of few ticks, too, the variance is that of many. */
static double root_of(double share, double ticks) {
  return (sqrt(share) + sqrt(share + 1 / ticks)) / 2;
}

static void make_points(const struct profile *profile, struct points *points) {
  *points = (struct points){.count = profile->run_count,
                            .list = memory_zeroed(profile->run_count, sizeof *points->list)};
  uint8_t *dimension = choose_dimensions(profile, points);
  for (size_t i = 0; i < profile->run_cost_count; i++) {
    const struct profile_run_cost *cost = &profile->run_costs[i];
    struct point *point = &points->list[cost->run];
    point->root[dimension[cost->function]] += cost->self_ns;
    point->ns += cost->self_ns;
  }
  for (size_t i = 0; i < points->count; i++) {
    struct point *point = &points->list[i];
    if (!profile->runs[i].ticks || !(point->ns > 0)) continue;
    point->weight = 4.0 * profile->runs[i].ticks;
    points->with_ticks++;
    for (size_t k = 0; k < DIMENSIONS; k++)
      point->root[k] = root_of(point->root[k] / point->ns, profile->runs[i].ticks);
  }
  free(dimension);
}

/* ---- k-means ---- */

struct partition {
  size_t count;
  double centres[RANK_GROUPS_MOST][DIMENSIONS];
  double within; /* the sum of squares in units of the error of sampling */
};

static double squares(const struct point *point, const double *centre) {
  double sum = 0;
  for (size_t k = 0; k < DIMENSIONS; k++)
    sum += (point->root[k] - centre[k]) * (point->root[k] - centre[k]);
  return sum * point->weight;
}

/* The nearest centre's place. */
static uint32_t nearest(const struct partition *partition, const struct point *point,
                        double *distance) {
  uint32_t best = 0;
  *distance = DBL_MAX;
  for (size_t i = 0; i < partition->count; i++) {
    double of = squares(point, partition->centres[i]);
    if (of >= *distance) continue;
    *distance = of;
    best = i;
  }
  return best;
}

/* Whether any point changed its group. */
static bool assign(const struct points *points, struct partition *partition) {
  bool moved = false;
  partition->within = 0;
  for (size_t i = 0; i < points->count; i++) {
    struct point *point = &points->list[i];
    double distance;
    if (!point->weight) continue;
    uint32_t group = nearest(partition, point, &distance);
    moved |= group != point->group;
    point->group = group;
    partition->within += distance;
  }
  return moved;
}

/* Each centre in the weighted mean of its points; one that has none stays. */
static void centre(const struct points *points, struct partition *partition) {
  double weights[RANK_GROUPS_MOST] = {0}, sums[RANK_GROUPS_MOST][DIMENSIONS] = {{0}};
  for (size_t i = 0; i < points->count; i++) {
    const struct point *point = &points->list[i];
    if (!point->weight) continue;
    weights[point->group] += point->weight;
    for (size_t k = 0; k < DIMENSIONS; k++)
      sums[point->group][k] += point->weight * point->root[k];
  }
  for (size_t i = 0; i < partition->count; i++)
    for (size_t k = 0; k < DIMENSIONS && weights[i]; k++)
      partition->centres[i][k] = sums[i][k] / weights[i];
}

/* One group more than there was: it begins at the point that fits worst. */
static void split(const struct points *points, struct partition *partition) {
  const struct point *farthest = NULL;
  double most = -1;
  for (size_t i = 0; i < points->count; i++) {
    double distance;
    if (!points->list[i].weight) continue;
    nearest(partition, &points->list[i], &distance); /* of none: the greatest */
    if (distance <= most) continue;
    most = distance;
    farthest = &points->list[i];
  }
  memcpy(partition->centres[partition->count++], farthest->root, sizeof farthest->root);
  assign(points, partition);
  for (int round = 0; round < ROUNDS; round++) {
    centre(points, partition);
    if (!assign(points, partition)) break;
  }
}

/* Roots of shares lie on a sphere: one freedom less than dimensions. */
static bool explained(const struct points *points, const struct partition *partition) {
  double freedom = (double)(points->with_ticks - partition->count) * points->dimensions;
  return freedom <= 0 || partition->within <= chi_square_99(freedom);
}

/* The fewest groups that sampling explains; else the number that the index of Calinski and Harabasz
 * is largest for (A dendrite method for cluster analysis, 1974). */
static bool choose_partition(const struct points *points, struct partition *chosen) {
  struct partition partition = {0};
  double best = -1, whole = 0;
  while (partition.count < RANK_GROUPS_MOST && partition.count < points->with_ticks) {
    split(points, &partition);
    if (partition.count == 1) whole = partition.within;
    if (explained(points, &partition)) {
      *chosen = partition;
      return true;
    }
    if (partition.count == 1) continue;
    double index = (whole - partition.within) / (partition.count - 1) / partition.within *
                   (points->with_ticks - partition.count);
    if (index <= best) continue;
    best = index;
    *chosen = partition;
  }
  return false;
}

/* ---- groups ---- */

struct order {
  uint32_t group, runs, first;
};

static int most_runs_first(const void *a, const void *b) {
  const struct order *one = a, *other = b;
  if (one->runs != other->runs) return one->runs > other->runs ? -1 : 1;
  return one->first < other->first ? -1 : one->first > other->first;
}

static void number_groups(const struct points *points, struct rank_groups *groups) {
  struct order order[RANK_GROUPS_MOST];
  uint32_t number[RANK_GROUPS_MOST];
  for (uint32_t i = 0; i < RANK_GROUPS_MOST; i++)
    order[i] = (struct order){i, 0, UINT32_MAX};
  for (size_t i = 0; i < points->count; i++) {
    if (!points->list[i].weight) continue;
    struct order *of = &order[points->list[i].group];
    if (!of->runs++) of->first = i;
  }
  qsort(order, RANK_GROUPS_MOST, sizeof *order, most_runs_first);
  groups->count = 0;
  for (uint32_t i = 0; i < RANK_GROUPS_MOST; i++) {
    number[order[i].group] = i;
    groups->groups[i] = (struct rank_group){.runs = order[i].runs, .function = NO_RANK_FUNCTION};
    groups->count += order[i].runs > 0;
  }
  for (size_t i = 0; i < points->count; i++)
    groups->of_run[i] = points->list[i].weight ? number[points->list[i].group] : NO_RANK_GROUP;
}

/* What most distinguishes a group. */
static void describe(const struct points *points, struct rank_groups *groups, uint32_t number) {
  struct rank_group *group = &groups->groups[number];
  double share[DIMENSIONS] = {0}, elsewhere[DIMENSIONS] = {0};
  uint32_t others = points->with_ticks - group->runs;
  for (size_t i = 0; i < points->count; i++) {
    const struct point *point = &points->list[i];
    if (groups->of_run[i] == NO_RANK_GROUP) continue;
    bool inside = groups->of_run[i] == number;
    if (inside) group->mean_ns += point->ns / group->runs;
    for (size_t k = 0; k < points->dimensions; k++) {
      double of = point->root[k] * point->root[k];
      *(inside ? &share[k] : &elsewhere[k]) += of / (inside ? group->runs : others);
    }
  }
  double most = 0;
  for (size_t k = 0; k < points->dimensions && others; k++) {
    double difference = fabs(share[k] - elsewhere[k]);
    if (difference <= most) continue;
    most = difference;
    group->function = points->functions[k];
    group->share = share[k];
    group->share_elsewhere = elsewhere[k];
  }
}

void rank_groups_make(const struct profile *profile, struct rank_groups *groups) {
  struct points points;
  struct partition chosen = {0};
  *groups = (struct rank_groups){.of_run = memory_zeroed(profile->run_count, sizeof(uint32_t))};
  make_points(profile, &points);
  if (points.with_ticks) {
    groups->differ_within = !choose_partition(&points, &chosen);
    assign(&points, &chosen);
    number_groups(&points, groups);
    for (uint32_t i = 0; i < groups->count; i++)
      describe(&points, groups, i);
  }
  free(points.list);
}

void rank_groups_free(struct rank_groups *groups) {
  free(groups->of_run);
}
