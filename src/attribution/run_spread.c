#include "attribution/run_spread.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/books.h"
#include "base/count_before.h"

static const double z95 = 1.959963984540054;

/* A figure in all runs, as far as they have been seen. */
struct series {
  size_t count;
  double sum, squares, variances;
  double silence; /* the part of the variances that is of runs without the function */
  uint64_t least, most;
  uint32_t most_run;
  bool unknown; /* the uncertainty of some */
  double ratio_low, ratio_high;
};

static double variance_of(uint64_t uncertainty) {
  return uncertainty / z95 * (uncertainty / z95); /* uncertainties are of 95 % */
}

static void add(struct series *series, uint32_t run, uint64_t value, uint64_t uncertainty) {
  if (!series->count || value < series->least) series->least = value;
  if (!series->count || value > series->most) {
    series->most = value;
    series->most_run = run;
  }
  series->count++;
  series->sum += value;
  series->squares += (double)value * value;
  if (uncertainty == UNCERTAINTY_UNKNOWN)
    series->unknown = true;
  else
    series->variances += variance_of(uncertainty);
}

/* ---- imbalance ---- */

/* The point that a normal deviate is above with this probability, from 0 to 0.5: Abramowitz and
 * Stegun, 26.2.23; wrong by 0.00045 at most. */
static double normal_point(double above) {
  double t = sqrt(-2 * log(above));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/* Whose share is the largest is not known before: each of n shares has an interval of its own, and
 * all hold together with 95 % (Bonferroni; Miller, Simultaneous Statistical Inference, 2.1). */
static double joint_point(size_t runs) {
  return normal_point(0.025 / runs);
}

/* What the ticks of a run without the function leave open: of none of n ticks, as of any number,
 * the upper end of its interval (share_interval, books.h). */
static double silent_variance(uint64_t ticks, uint64_t amount) {
  double tick = ticks ? (double)amount / ticks : 0;
  return z95 * tick * (z95 * tick);
}

/* The run's part of the mean, value / mean, whose variance follows from those of all runs to first
 * order: a run's own error moves the mean, too. */
static void add_ratio(struct series *series, size_t runs, uint64_t value, double own) {
  double n = runs, mean = series->sum / n, ratio = value / mean;
  double others = fmax(0, series->variances + series->silence - own);
  double part = ratio / n, variance = own * (1 - part) * (1 - part) + others * part * part;
  double half = joint_point(runs) * sqrt(variance) / mean;
  series->ratio_low = fmax(series->ratio_low, ratio - half);
  series->ratio_high = fmax(series->ratio_high, ratio + half);
}

static struct imbalance imbalance_of(const struct series *series, size_t runs) {
  struct imbalance none = {NAN, NAN, NAN};
  if (!(series->sum > 0)) return none;
  double ratio = series->most / (series->sum / runs);
  if (series->unknown) return (struct imbalance){ratio, NAN, NAN};
  double z = joint_point(runs), noise = z * z * (series->variances + series->silence);
  /* The mean itself may be 0 (Fieller's condition). */
  if (noise >= series->sum * series->sum) return (struct imbalance){ratio, 1, runs};
  return (struct imbalance){ratio, fmax(1, series->ratio_low), fmin(runs, series->ratio_high)};
}

static struct run_spread spread_of(const struct series *series, size_t runs) {
  struct run_spread spread = {.mean = series->sum / runs,
                              .least = series->least,
                              .most = series->most,
                              .most_run = series->most_run,
                              .imbalance = imbalance_of(series, runs)};
  if (series->count < runs) spread.least = 0;
  double squares = series->squares - runs * spread.mean * spread.mean;
  /* Equal values leave some rounding. */
  if (squares > 1e-12 * series->squares) spread.deviation = sqrt(squares / (runs - 1));
  spread.from_ticks = series->unknown ? -1 : sqrt(series->variances / runs);
  return spread;
}

struct function_series {
  struct series self, total, calls;
  bool total_unknown;
};

/* All functions' series of sampled figures: what runs without the function may have had of it, and
 * then, with all sums known, each run's part. */
static void find_ratios(const struct profile *profile, struct function_series *all) {
  double silence = 0;
  for (size_t i = 0; i < profile->run_count; i++)
    silence += silent_variance(profile->runs[i].ticks, profile->runs[i].sampled_ns);
  for (size_t i = 0; i < profile->function_count; i++)
    all[i].self.silence = all[i].total.silence = silence;
  for (size_t i = 0; i < profile->run_cost_count; i++) {
    const struct profile_run_cost *cost = &profile->run_costs[i];
    const struct profile_run *run = &profile->runs[cost->run];
    double known = silent_variance(run->ticks, run->sampled_ns);
    all[cost->function].self.silence -= known;
    all[cost->function].total.silence -= known;
  }
  for (size_t i = 0; i < profile->run_cost_count; i++) {
    const struct profile_run_cost *cost = &profile->run_costs[i];
    struct function_series *series = &all[cost->function];
    add_ratio(&series->self, profile->run_count, cost->self_ns,
              variance_of(cost->self_uncertainty_ns));
    add_ratio(&series->total, profile->run_count, cost->total_ns,
              variance_of(cost->total_uncertainty_ns));
    add_ratio(&series->calls, profile->run_count, cost->calls, 0);
  }
}

static struct function_spread *spread_of_costs(const struct profile *profile, size_t *count) {
  struct function_series *all = memory_zeroed(profile->function_count, sizeof *all);
  struct function_spread *list = memory_zeroed(profile->function_count, sizeof *list);
  for (size_t i = 0; i < profile->run_cost_count; i++) {
    const struct profile_run_cost *cost = &profile->run_costs[i];
    struct function_series *series = &all[cost->function];
    add(&series->self, cost->run, cost->self_ns, cost->self_uncertainty_ns);
    add(&series->total, cost->run, cost->total_ns, cost->total_uncertainty_ns);
    add(&series->calls, cost->run, cost->calls, 0);
    series->total_unknown |= !cost->total_known;
  }
  find_ratios(profile, all);
  *count = 0;
  for (uint32_t i = 0; i < profile->function_count; i++) {
    if (!all[i].self.count) continue;
    list[(*count)++] =
        (struct function_spread){.function = i,
                                 .total_known = !all[i].total_unknown,
                                 .calls_known = true,
                                 .self = spread_of(&all[i].self, profile->run_count),
                                 .total = spread_of(&all[i].total, profile->run_count),
                                 .calls = spread_of(&all[i].calls, profile->run_count)};
  }
  free(all);
  return list;
}

/* ---- of sums ---- */

void wide_add_square(struct wide_sum *sum, uint64_t number) {
  const unsigned __int128 part = (unsigned __int128)1 << 60;
  unsigned __int128 square = (unsigned __int128)number * number + sum->low;
  sum->low = square % part;
  sum->high += square / part;
}

static double wide_value(const struct wide_sum *sum) {
  return ldexp(sum->high, 60) + sum->low;
}

static void wide_add(struct wide_sum *sum, const struct wide_sum *more) {
  uint64_t low = sum->low + more->low;
  sum->high += more->high + (low >> 60);
  sum->low = low & ((UINT64_C(1) << 60) - 1);
}

void spread_forget(struct profile_spread *spread) {
  *spread = (struct profile_spread){
      .function = spread->function, .line = spread->line, .context = spread->context};
}

void spread_add(struct profile_spread *spread, const struct profile_spread *more) {
  if (!spread->runs || !more->runs) {
    spread_forget(spread);
    return;
  }
  if (more->least < spread->least) spread->least = more->least;
  if (more->most > spread->most) {
    spread->most = more->most;
    spread->most_run = more->most_run;
  }
  if (more->uncertainty > spread->uncertainty) spread->uncertainty = more->uncertainty;
  spread->runs += more->runs;
  spread->sum += more->sum;
  wide_add(&spread->squares, &more->squares);
  wide_add(&spread->uncertainty_squares, &more->uncertainty_squares);
}

/* The same figures as of the single runs, but that the interval of the imbalance is that of the
 * largest uncertainty of any run. */
static struct run_spread spread_of_sums(const struct profile *profile,
                                        const struct profile_spread *sums, double silence) {
  size_t runs = profile->run_count;
  struct series series = {.count = sums->runs,
                          .sum = sums->sum,
                          .squares = wide_value(&sums->squares),
                          .variances = wide_value(&sums->uncertainty_squares) / (z95 * z95),
                          .silence = silence * (runs - sums->runs) / runs,
                          .least = sums->least,
                          .most = sums->most,
                          .most_run = sums->most_run,
                          .unknown = sums->uncertainty == UNCERTAINTY_UNKNOWN};
  if (sums->sum) add_ratio(&series, runs, sums->most, variance_of(sums->uncertainty));
  return spread_of(&series, runs);
}

/* Of all runs together. Figures that are counted leave nothing open; what one sample of a later
 * metric stands for is known of all runs together. */
static double whole_silence(const struct profile *profile) {
  const struct profile_metric *metric = profile_metric(profile);
  struct amount all = {0};
  double silence = 0;
  if (metric->evidence == EVIDENCE_COUNTED) return 0;
  for (size_t i = 0; i < profile->run_count; i++)
    silence += silent_variance(profile->runs[i].ticks, profile->runs[i].sampled_ns);
  if (!profile->metric) return silence;
  for (size_t i = 0; i < metric->tick_count; i++)
    all = amount_sum(all, metric->ticks[i].amount);
  return silent_variance(all.ticks, all.raw_ns) * profile->run_count;
}

static struct function_spread *spread_of_functions(const struct profile *profile, size_t *count) {
  const struct profile_metric *metric = profile_metric(profile);
  struct function_spread *list = memory_zeroed(metric->spread_count, sizeof *list);
  double silence = whole_silence(profile);
  *count = 0;
  for (size_t i = 0; i < metric->spread_count; i++)
    if (metric->spreads[i].function != NOTHING && metric->spreads[i].runs)
      list[(*count)++] =
          (struct function_spread){.function = metric->spreads[i].function,
                                   .self = spread_of_sums(profile, &metric->spreads[i], silence)};
  return list;
}

struct function_spread *runs_spread(const struct profile *profile, size_t *count) {
  bool single = !profile->metric && profile->run_cost_count;
  return single ? spread_of_costs(profile, count) : spread_of_functions(profile, count);
}

static double to_gain(const struct item_spread *item) {
  return item->self.most - item->self.mean;
}

static int most_to_gain_first(const void *a, const void *b) {
  const struct item_spread *one = a, *other = b;
  if (to_gain(one) != to_gain(other)) return to_gain(one) > to_gain(other) ? -1 : 1;
  return one->id < other->id ? -1 : one->id > other->id;
}

struct item_spread *runs_item_spread(const struct profile *profile, enum spread_of of,
                                     size_t *count) {
  const struct profile_metric *metric = profile_metric(profile);
  struct item_spread *list = memory_zeroed(metric->spread_count, sizeof *list);
  double silence = whole_silence(profile);
  *count = 0;
  for (size_t i = 0; i < metric->spread_count; i++) {
    const struct profile_spread *sums = &metric->spreads[i];
    uint32_t id = of == SPREAD_OF_LINES ? sums->line : sums->context;
    if (id == NOTHING || !sums->runs) continue;
    list[(*count)++] = (struct item_spread){id, spread_of_sums(profile, sums, silence)};
  }
  if (*count) qsort(list, *count, sizeof *list, most_to_gain_first);
  return list;
}

/* ---- sketches ---- */

enum { SIZE_BITS = 4 }; /* sizes to an octave, as a power of two */

uint32_t spread_size(uint64_t amount) {
  if (amount < 1 << SIZE_BITS) return (uint32_t)amount;
  uint32_t shift = 63 - SIZE_BITS - (uint32_t)__builtin_clzll(amount);
  return (shift << SIZE_BITS) + (uint32_t)(amount >> shift);
}

uint64_t spread_size_middle(uint32_t size) {
  if (size < 2 << SIZE_BITS) return size;
  uint32_t shift = (size >> SIZE_BITS) - 1;
  uint64_t part = (size & ((1 << SIZE_BITS) - 1)) | 1 << SIZE_BITS;
  return shift > 63 - SIZE_BITS - 1 ? UINT64_MAX : (2 * part + 1) << shift >> 1;
}

/* Spreads are by function first. */
static bool is_known(const struct profile_metric *metric, uint32_t function) {
  size_t first = COUNT_BEFORE(metric->spread_count, i, metric->spreads[i].function < function);
  bool there = first < metric->spread_count && metric->spreads[first].function == function;
  return metric->spread_count && (!there || metric->spreads[first].runs);
}

uint64_t runs_quantile(const struct profile *profile, uint32_t function, double part) {
  const struct profile_metric *metric = profile_metric(profile);
  const struct profile_spread_size *sizes = metric->spread_sizes;
  if (!is_known(metric, function)) return UINT64_MAX;
  size_t first = COUNT_BEFORE(metric->spread_size_count, i, sizes[i].function < function);
  uint64_t with = 0, rank = (uint64_t)ceil(part * profile->run_count);
  for (size_t i = first; i < metric->spread_size_count && sizes[i].function == function; i++)
    with += sizes[i].runs;
  uint64_t below = with < profile->run_count ? profile->run_count - with : 0;
  for (size_t i = first; below < rank && i < metric->spread_size_count; i++) {
    if (sizes[i].function != function) break;
    below += sizes[i].runs;
    if (below >= rank) return spread_size_middle(sizes[i].size);
  }
  return 0;
}

/* ---- judging ---- */

static const double z99 = 2.3263478740408408;

static double chi_square_point(double degrees, double z) {
  double part = 2 / (9 * degrees), root = 1 - part + z * sqrt(part);
  return degrees * root * root * root;
}

double chi_square_99(double degrees) {
  return chi_square_point(degrees, z99);
}

/* Whether the spread is above this point of normal deviates, by the same approximation. */
static bool is_above(const struct run_spread *spread, size_t runs, double point) {
  if (runs < 2 || spread->from_ticks < 0) return false;
  double expected = spread->from_ticks * spread->from_ticks;
  double seen = spread->deviation * spread->deviation * (runs - 1);
  return seen > expected * chi_square_point(runs - 1, point);
}

bool spread_is_real(const struct run_spread *spread, size_t runs) {
  return is_above(spread, runs, z99);
}

bool spread_is_real_of(const struct run_spread *spread, size_t runs, size_t count) {
  return is_above(spread, runs, normal_point(0.01 / count));
}
