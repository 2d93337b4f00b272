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

/* ---- spread ---- */

/* A figure in all runs, as far as they have been seen. */
struct series {
  size_t count;
  double sum, squares, variances;
  uint64_t least, most;
  bool unknown; /* the uncertainty of some */
};

static void add(struct series *series, uint64_t value, uint64_t uncertainty) {
  const double z = 1.959963984540054; /* uncertainties are of 95 % */
  if (!series->count || value < series->least) series->least = value;
  if (value > series->most) series->most = value;
  series->count++;
  series->sum += value;
  series->squares += (double)value * value;
  if (uncertainty == UNCERTAINTY_UNKNOWN)
    series->unknown = true;
  else
    series->variances += uncertainty / z * (uncertainty / z);
}

static struct run_spread spread_of(const struct series *series, size_t runs) {
  struct run_spread spread = {
      .mean = series->sum / runs, .least = series->least, .most = series->most};
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

struct function_spread *runs_spread(const struct profile *profile, size_t *count) {
  struct function_series *all = memory_zeroed(profile->function_count, sizeof *all);
  struct function_spread *list = memory_zeroed(profile->function_count, sizeof *list);
  for (size_t i = 0; i < profile->run_cost_count; i++) {
    const struct profile_run_cost *cost = &profile->run_costs[i];
    struct function_series *series = &all[cost->function];
    add(&series->self, cost->self_ns, cost->self_uncertainty_ns);
    add(&series->total, cost->total_ns, cost->total_uncertainty_ns);
    add(&series->calls, cost->calls, 0);
    series->total_unknown |= !cost->total_known;
  }
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

/* The 99 % point of chi-square, as Wilson and Hilferty approximate it. */
static double chi_square_99(double degrees) {
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
