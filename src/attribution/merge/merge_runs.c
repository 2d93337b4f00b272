/* The runs that are merged: what each function cost in each of them, and how functions, lines and
 * contexts vary over them. */
#include <stdlib.h>

#include "attribution/books.h"
#include "attribution/merge/merge_parts.h"
#include "attribution/run_costs.h"
#include "attribution/run_spread.h"
#include "profile/appended.h"

/* ---- costs of each ---- */

/* Two functions that became one have their self times and calls together; of their totals, which
 * may overlap, nothing is known. */
static bool add_to_known_cost(struct profile *profile, size_t first,
                              const struct profile_run_cost *cost) {
  for (size_t i = first; i < profile->run_cost_count; i++) {
    struct profile_run_cost *known = &profile->run_costs[i];
    if (known->run != cost->run || known->function != cost->function) continue;
    known->self_ns += cost->self_ns;
    known->calls += cost->calls;
    known->total_known = false;
    return true;
  }
  return false;
}

static void add_run_costs(struct merge *merge, const struct merge_ids *ids,
                          const struct profile_run_cost *costs, size_t count) {
  struct profile *profile = merge->profile;
  size_t first = profile->run_cost_count;
  for (size_t i = 0; i < count; i++) {
    struct profile_run_cost cost = costs[i];
    cost.run += ids->first_run;
    cost.function = ids->functions[cost.function];
    if (ids->folds && add_to_known_cost(profile, first, &cost)) continue;
    profile_add_run_cost(profile, cost);
  }
}

/* All or nothing, so that it does not matter in which order profiles are merged. */
static void limit_run_costs(struct merge *merge) {
  struct profile *profile = merge->profile;
  merge->costs_dropped |= profile->run_cost_count > merge->most_run_costs;
  if (merge->costs_dropped) profile->run_cost_count = 0;
}

/* ---- how they vary ---- */

enum spread_thing { SPREAD_FUNCTION, SPREAD_LINE, SPREAD_CONTEXT, SPREAD_SIZE };

static uint64_t thing_key(uint32_t metric, enum spread_thing thing) {
  return (uint64_t)metric << 2 | thing;
}

/* Its row. */
static uint32_t add_spread(struct merge *merge, uint32_t metric,
                           const struct profile_spread *spread) {
  struct profile_metric *to = &merge->profile->metrics[metric];
  enum spread_thing thing = spread->function != NOTHING ? SPREAD_FUNCTION
                            : spread->line != NOTHING   ? SPREAD_LINE
                                                        : SPREAD_CONTEXT;
  uint32_t id = thing == SPREAD_FUNCTION ? spread->function
                : thing == SPREAD_LINE   ? spread->line
                                         : spread->context;
  uint32_t row =
      map_find_or_add(&merge->spreads, thing_key(metric, thing), id, (uint32_t)to->spread_count);
  if (row == to->spread_count)
    (void)APPENDED(to->spreads, to->spread_count, *spread);
  else
    spread_add(&to->spreads[row], spread);
  return row;
}

static void add_size(struct merge *merge, uint32_t metric, struct profile_spread_size size) {
  struct profile_metric *to = &merge->profile->metrics[metric];
  uint32_t row =
      map_find_or_add(&merge->spreads, thing_key(metric, SPREAD_SIZE),
                      (uint64_t)size.function << 32 | size.size, (uint32_t)to->spread_size_count);
  if (row == to->spread_size_count)
    (void)APPENDED(to->spread_sizes, to->spread_size_count, size);
  else
    to->spread_sizes[row].runs += size.runs;
}

/* Adds the spreads of a profile that was merged already. Where two of its functions became one, how
 * their sum varied over the runs is marked as not known. */
static void add_known_spreads(struct merge *merge, const struct merge_ids *ids, uint32_t metric) {
  const struct profile_metric *from = &ids->from->metrics[metric];
  struct profile_metric *to = &merge->profile->metrics[metric];
  bool *met = memory_zeroed(to->spread_count + from->spread_count, sizeof *met);
  for (size_t i = 0; i < from->spread_count; i++) {
    struct profile_spread spread = from->spreads[i];
    spread.function = merged_id(ids->functions, spread.function);
    spread.line = merged_id(ids->lines, spread.line);
    spread.context = merged_id(ids->contexts, spread.context);
    spread.most_run += ids->first_run;
    uint32_t row = add_spread(merge, metric, &spread);
    if (met[row]) spread_forget(&to->spreads[row]);
    met[row] = true;
  }
  free(met);
  for (size_t i = 0; i < from->spread_size_count; i++) {
    struct profile_spread_size size = from->spread_sizes[i];
    size.function = ids->functions[size.function];
    add_size(merge, metric, size);
  }
}

/* Profiles that were merged by earlier versions, and parts of merged profiles, say what functions
 * cost in each run, but not how lines and contexts vary. */
static bool lacks_spreads(const struct profile *from) {
  for (size_t i = 0; i < from->metric_count; i++)
    if (from->metrics[i].tick_count && !from->metrics[i].spread_count) return true;
  return false;
}

/* The amounts of one run, by function, line or context of the merged profile. `met`: which of them
 * are not 0. */
struct run_sums {
  struct amount *amounts;
  uint32_t *met;
  size_t count;
};

static void sums_add(struct run_sums *sums, uint32_t id, struct amount amount) {
  if (!amount.raw_ns && !amount.ticks) return;
  if (!sums->amounts[id].raw_ns && !sums->amounts[id].ticks) sums->met[sums->count++] = id;
  sums->amounts[id] = amount_sum(sums->amounts[id], amount);
}

static void sums_reach(struct run_sums *sums, size_t count) {
  *sums = (struct run_sums){.amounts = memory_zeroed(count, sizeof *sums->amounts),
                            .met = memory_zeroed(count, sizeof *sums->met)};
}

static void take_sums(struct merge *merge, const struct merge_ids *ids, uint32_t metric,
                      const struct books *books, enum spread_thing thing, struct run_sums *sums) {
  for (size_t i = 0; i < sums->count; i++) {
    uint32_t id = sums->met[i];
    struct estimate estimate = books_estimate(books, sums->amounts[id]);
    struct profile_spread spread = {.function = thing == SPREAD_FUNCTION ? id : NOTHING,
                                    .line = thing == SPREAD_LINE ? id : NOTHING,
                                    .context = thing == SPREAD_CONTEXT ? id : NOTHING,
                                    .runs = 1,
                                    .most_run = ids->first_run,
                                    .sum = estimate.ns,
                                    .least = estimate.ns,
                                    .most = estimate.ns,
                                    .uncertainty = estimate.uncertainty_ns};
    wide_add_square(&spread.squares, estimate.ns);
    if (estimate.uncertainty_ns != UNCERTAINTY_UNKNOWN)
      wide_add_square(&spread.uncertainty_squares, estimate.uncertainty_ns);
    add_spread(merge, metric, &spread);
    if (thing == SPREAD_FUNCTION)
      add_size(merge, metric, (struct profile_spread_size){id, spread_size(estimate.ns), 1});
  }
  free(sums->amounts);
  free(sums->met);
}

/* Adds how much each function, line and context had in one run. */
static void add_run_spreads(struct merge *merge, const struct merge_ids *ids, uint32_t number,
                            const struct costs *costs) {
  struct profile view = metric_view(ids->from, number);
  const struct profile_metric *metric = profile_metric(&view);
  struct run_sums sums;
  struct books books;
  books_make(&view, &books);
  sums_reach(&sums, merge->profile->function_count);
  for (uint32_t i = 0; i < view.function_count; i++)
    sums_add(&sums, ids->functions[i], costs->functions[i].self);
  take_sums(merge, ids, number, &books, SPREAD_FUNCTION, &sums);
  sums_reach(&sums, merge->profile->line_count);
  for (size_t i = 0; i < metric->tick_count; i++)
    sums_add(&sums, ids->lines[metric->ticks[i].line], metric->ticks[i].amount);
  take_sums(merge, ids, number, &books, SPREAD_LINE, &sums);
  sums_reach(&sums, merge->profile->context_count);
  for (size_t i = 0; i < metric->tick_count; i++)
    sums_add(&sums, ids->contexts[metric->ticks[i].context], metric->ticks[i].amount);
  take_sums(merge, ids, number, &books, SPREAD_CONTEXT, &sums);
}

/* ---- all ---- */

static void add_merged(struct merge *merge, const struct merge_ids *ids) {
  const struct profile *from = ids->from;
  for (size_t i = 0; i < from->run_count; i++)
    profile_add_run(merge->profile, from->runs[i]);
  add_run_costs(merge, ids, from->run_costs, from->run_cost_count);
  merge->costs_dropped |= !from->run_cost_count && from->metrics[0].spread_count;
  merge->spreads_unknown |= lacks_spreads(from);
  for (uint32_t metric = 0; metric < from->metric_count; metric++)
    add_known_spreads(merge, ids, metric);
}

static void add_run(struct merge *merge, const struct merge_ids *ids) {
  struct profile_run run;
  runs_make(ids->from, merge->profile->pool, &run);
  profile_add_run(merge->profile, run);
  for (uint32_t metric = 0; metric < ids->from->metric_count; metric++) {
    struct profile view = metric_view(ids->from, metric);
    struct costs *costs = costs_compute(&view, NULL);
    if (!metric) {
      size_t count;
      struct profile_run_cost *list = runs_costs(ids->from, costs, &count);
      add_run_costs(merge, ids, list, count);
      free(list);
    }
    add_run_spreads(merge, ids, metric, costs);
    costs_free(costs);
  }
}

void merge_runs(struct merge *merge, const struct merge_ids *ids) {
  ids->from->run_count ? add_merged(merge, ids) : add_run(merge, ids);
  limit_run_costs(merge);
}

static int spread_order(const void *a, const void *b) {
  const struct profile_spread *one = a, *other = b;
  if (one->function != other->function) return one->function < other->function ? -1 : 1;
  if (one->line != other->line) return one->line < other->line ? -1 : 1;
  return one->context < other->context ? -1 : one->context > other->context;
}

static int size_order(const void *a, const void *b) {
  const struct profile_spread_size *one = a, *other = b;
  if (one->function != other->function) return one->function < other->function ? -1 : 1;
  return one->size < other->size ? -1 : one->size > other->size;
}

void merge_runs_finish(struct profile *profile) {
  for (size_t i = 0; i < profile->metric_count; i++) {
    struct profile_metric *metric = &profile->metrics[i];
    if (metric->spread_count)
      qsort(metric->spreads, metric->spread_count, sizeof *metric->spreads, spread_order);
    if (metric->spread_size_count)
      qsort(metric->spread_sizes, metric->spread_size_count, sizeof *metric->spread_sizes,
            size_order);
  }
}
