#include "attribution/run_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/books.h"
#include "attribution/run.h"

void runs_make(const struct profile *profile, struct pool *pool, struct profile_run *run) {
  struct run of;
  struct books books;
  char hooks[HOOKS_TEXT_BYTES];
  run_make(profile, &of);
  books_make(profile, &books);
  hooks_text(of.hooks, hooks);
  *run = (struct profile_run){.version = profile->version,
                              .command = of.command,
                              .directory = of.directory,
                              .host = of.host,
                              .hooks = pool_string(pool, hooks),
                              .clock = clock_text(of.tick_source),
                              .started_ns = of.started_ns,
                              .ended_ns = of.ended_ns,
                              .rate_hz = of.rate_hz,
                              .ticks = books.all.ticks,
                              .lost_ticks = of.lost_ticks,
                              .user_ns = books.user_ns,
                              .system_ns = books.system_ns,
                              .sampled_ns = books.sampled_ns,
                              .kernel_ns = books.kernel_ns,
                              .unsampled_ns = books.unsampled_ns,
                              .whole_ns = books_whole_ns(&books),
                              .paused_ns = books.paused_ns,
                              .charged_low_ns = books_charged_ns(&books).low,
                              .charged_high_ns = books_charged_ns(&books).high,
                              .profiler_ns = books_ns(&books, books.profiler),
                              .handlers_ns = books.handlers_ns,
                              .recorder_ns = books.recorder_ns,
                              .hooks_low_ns = books.hooks.low,
                              .hooks_high_ns = books.hooks.high,
                              .dropped_ns = books_ns(&books, books.dropped),
                              .calls = books.calls};
  memcpy(run->drops, of.drops, sizeof run->drops);
}

static struct profile_run_cost cost_of(const struct profile *profile, const struct costs *costs,
                                       const struct books *books, uint32_t function) {
  const struct function_cost *cost = &costs->functions[function];
  struct estimate self = books_estimate(books, cost->self);
  struct estimate total = books_estimate(books, cost->total);
  return (struct profile_run_cost){.function = function,
                                   .total_known = costs_total_known(profile, costs, function),
                                   .calls = cost->calls + cost->recursive,
                                   .self_ns = self.ns,
                                   .self_uncertainty_ns = self.uncertainty_ns,
                                   .total_ns = total.ns,
                                   .total_uncertainty_ns = total.uncertainty_ns};
}

struct profile_run_cost *runs_costs(const struct profile *profile, size_t *count) {
  struct costs *costs = costs_compute(profile, NULL);
  struct books books;
  books_make(profile, &books);
  struct profile_run_cost *list = memory_zeroed(profile->function_count, sizeof *list);
  *count = 0;
  for (uint32_t i = 0; i < profile->function_count; i++) {
    struct profile_run_cost cost = cost_of(profile, costs, &books, i);
    if (cost.calls || cost.self_ns || cost.total_ns) list[(*count)++] = cost;
  }
  costs_free(costs);
  return list;
}

struct run_rank *runs_ranks(const struct profile *profile) {
  size_t count = profile->run_count ? profile->run_count : 1;
  struct run_rank *list = memory_zeroed(count, sizeof *list);
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_process *process = &profile->processes[i];
    if (!process->rank_number || process->run >= count) continue;
    list[process->run] =
        (struct run_rank){true, process->rank_number - 1, process->ranks, process->job};
  }
  return list;
}

/* ---- spread ---- */

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
static double silent_variance(const struct profile_run *run) {
  double tick = run->ticks ? (double)run->sampled_ns / run->ticks : 0;
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
    silence += silent_variance(&profile->runs[i]);
  for (size_t i = 0; i < profile->function_count; i++)
    all[i].self.silence = all[i].total.silence = silence;
  for (size_t i = 0; i < profile->run_cost_count; i++) {
    const struct profile_run_cost *cost = &profile->run_costs[i];
    double known = silent_variance(&profile->runs[cost->run]);
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

struct function_spread *runs_spread(const struct profile *profile, size_t *count) {
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
                                 .self = spread_of(&all[i].self, profile->run_count),
                                 .total = spread_of(&all[i].total, profile->run_count),
                                 .calls = spread_of(&all[i].calls, profile->run_count)};
  }
  free(all);
  return list;
}

double chi_square_99(double degrees) {
  const double z = 2.3263478740408408;
  double part = 2 / (9 * degrees), root = 1 - part + z * sqrt(part);
  return degrees * root * root * root;
}

bool spread_is_real(const struct run_spread *spread, size_t runs) {
  if (runs < 2 || spread->from_ticks < 0) return false;
  double expected = spread->from_ticks * spread->from_ticks;
  double seen = spread->deviation * spread->deviation * (runs - 1);
  return seen > expected * chi_square_99(runs - 1);
}
