#include "compare/common_factor.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/ids.h"

/* Functions whose self time is less certain tell nothing of the factor. */
static const double LEAST_CERTAIN = 0.3;
enum { FEWEST_FUNCTIONS = 3 };

struct ratio {
  double log, reach, weight; /* reach: 95 %, of the logarithm; weight: by how certain it is */
};

static int by_log(const void *one, const void *other) {
  double a = ((const struct ratio *)one)->log, b = ((const struct ratio *)other)->log;
  return (a > b) - (a < b);
}

/* The self time of a function; *reach: how far it may be off, as a part of it, own spread too. */
static double self_of(const struct entry_figures *figures, int64_t id, double own, double *reach) {
  size_t place = id == ENTRY_NONE ? figures->count : ids_find(figures->ids, figures->count, id);
  if (place == figures->count) return 0;
  double self = figures->of[FIGURE_SELF][place];
  double sampled = figures->of[FIGURE_SELF_UNCERTAINTY][place] / self;
  *reach = sqrt(sampled * sampled + own * own);
  return self > 0 && sampled < LEAST_CERTAIN ? self : 0; /* NaN too */
}

static size_t take_ratios(const struct entry_pairs *pairs, const struct entry_figures figures[2],
                          const double own[2], struct ratio *ratios) {
  size_t count = 0;
  for (size_t i = 0; i < pairs->count; i++) {
    double reach[2];
    double a = self_of(&figures[0], pairs->items[i].a, own[0], &reach[0]);
    double b = self_of(&figures[1], pairs->items[i].b, own[1], &reach[1]);
    double square = a > 0 && b > 0 ? reach[0] * reach[0] + reach[1] * reach[1] : 0;
    if (square > 0) ratios[count++] = (struct ratio){log(b / a), sqrt(square), 1 / square};
  }
  return count;
}

/* Of ratios in the order of their logarithms. */
static double weighted_median(const struct ratio *ratios, size_t count, double weight) {
  double below = 0;
  size_t i = 0;
  while (i + 1 < count && (below += ratios[i].weight) < weight / 2)
    i++;
  return ratios[i].log;
}

static void find_median(struct ratio *ratios, size_t count, struct spread *spread) {
  double weight = 0, agreeing = 0;
  size_t agreeing_count = 0;
  if (count < FEWEST_FUNCTIONS) return;
  qsort(ratios, count, sizeof *ratios, by_log);
  for (size_t i = 0; i < count; i++)
    weight += ratios[i].weight;
  double median = weighted_median(ratios, count, weight);
  for (size_t i = 0; i < count; i++)
    if (fabs(ratios[i].log - median) <= ratios[i].reach) {
      agreeing += ratios[i].weight;
      agreeing_count++;
    }
  /* By number, too: the time of one function must not pass for what all have in common. */
  spread->common = 3 * agreeing >= 2 * weight && 3 * agreeing_count >= 2 * count;
  if (spread->common) spread->ratio = exp(fmax(-spread->whole, fmin(median, spread->whole)));
}

int common_factor_find(struct workspace *workspace, size_t first, size_t second,
                       const struct entry_pairs *functions, struct spread *spread,
                       struct error *error) {
  static const bool wanted[ENTRY_FIGURES] = {
      [FIGURE_SELF] = true, [FIGURE_SELF_UNCERTAINTY] = true};
  struct entry_figures figures[2] = {{0}, {0}};
  struct entry_pairs matched = {0};
  int result = 0;
  if (!functions) {
    result = match_entries(workspace, ENTRY_FUNCTIONS, first, second, &matched, error);
    functions = &matched;
  }
  const size_t profiles[] = {first, second};
  for (int side = 0; result == 0 && side < 2; side++)
    result = entry_figures_read(workspace, profiles[side], ENTRY_FUNCTIONS, wanted, &figures[side],
                                error);
  if (result == 0) {
    struct ratio *ratios = memory_resized(NULL, functions->count, sizeof *ratios);
    find_median(ratios, take_ratios(functions, figures, spread->own, ratios), spread);
    free(ratios);
  }
  for (int side = 0; side < 2; side++)
    entry_figures_free(&figures[side]);
  entry_pairs_free(&matched);
  return result;
}
