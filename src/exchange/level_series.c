#include "exchange/level_series.h"

#include <stdlib.h>
#include <string.h>

#include "profile/appended.h"

/* Sums stay far from overflowing. */
#define MOST_SUM (UINT64_C(1) << 60)

void level_series_open(struct level_series *series, struct stack_profile *stacks, uint32_t metric,
                       const char *unit) {
  struct profile *profile = stacks->profile;
  *series = (struct level_series){.stacks = stacks, .metric = metric};
  unit = stack_profile_text(stacks, unit);
  profile->metrics[metric].name = heap_metric_name(HEAP_OF_MALLOC, HEAP_LIVE);
  profile->metrics[metric].unit = unit;
  profile->metrics[metric].evidence = EVIDENCE_COUNTED;
  series->peak =
      metrics_add(profile, METRIC_GIVEN, heap_metric_name(HEAP_OF_MALLOC, HEAP_PEAK), unit);
  profile->metrics[series->peak].evidence = EVIDENCE_COUNTED;
}

/* ---- samples ---- */

static struct profile_slice *last_slice(const struct level_series *series) {
  const struct profile *profile = series->stacks->profile;
  return profile->slice_count ? &profile->slices[profile->slice_count - 1] : NULL;
}

int level_series_begin(struct level_series *series, uint64_t time_ns) {
  const struct profile_slice *last = last_slice(series);
  if (last && time_ns < last->start_ns) return -1;
  series->time_ns = time_ns;
  series->sum = 0;
  return 0;
}

bool level_series_add(struct level_series *series, uint64_t amount) {
  return level_series_add_to(series, stack_profile_tick(series->stacks, series->metric), amount);
}

bool level_series_add_to(struct level_series *series, uint32_t tick, uint64_t amount) {
  if (amount > MOST_SUM - series->sum) return false;
  series->sum += amount;
  ARRAY_ROOM(series->levels, (size_t)tick + 1);
  while (series->level_count <= tick)
    series->levels[series->level_count++] = (struct level){0};
  struct level *level = &series->levels[tick];
  if (!level->is_met) (void)APPENDED(series->met, series->met_count, tick);
  level->is_met = true;
  level->sampled += amount;
  return true;
}

static void change(struct level_series *series, uint32_t tick, uint64_t amount) {
  series->levels[tick].amount = amount;
  if (series->is_untimed) return;
  uint32_t slice = (uint32_t)series->stacks->profile->slice_count - 1;
  struct profile_slice_tick part = {slice, tick, NOTHING, {.raw_ns = amount}};
  (void)APPENDED(series->parts, series->part_count, part);
}

static void keep(const struct level_series *series, struct level_sample *sample) {
  sample->count = 0;
  for (size_t i = 0; i < series->live_count; i++) {
    uint32_t tick = series->live[i];
    struct level_amount amount = {tick, series->levels[tick].amount};
    (void)APPENDED(sample->amounts, sample->count, amount);
  }
}

static void add_slice(struct level_series *series) {
  struct profile *profile = series->stacks->profile;
  struct profile_slice slice = {.start_ns = series->time_ns, .end_ns = series->time_ns + 1};
  if (profile->slice_count) last_slice(series)->end_ns = slice.start_ns;
  (void)APPENDED(profile->slices, profile->slice_count, slice);
}

void level_series_end(struct level_series *series, bool has_stacks) {
  if (!series->is_untimed) add_slice(series);
  for (size_t i = 0; i < series->live_count; i++)
    if (!series->levels[series->live[i]].is_met) change(series, series->live[i], 0);
  series->live_count = 0;
  for (size_t i = 0; i < series->met_count; i++) {
    uint32_t tick = series->met[i];
    struct level *level = &series->levels[tick];
    if (level->sampled != level->amount) change(series, tick, level->sampled);
    if (level->amount) (void)APPENDED(series->live, series->live_count, tick);
    level->is_met = false;
    level->sampled = 0;
  }
  series->met_count = 0;
  if (has_stacks) keep(series, &series->at_end);
  if (!has_stacks || series->sum <= series->most) return;
  series->most = series->sum;
  keep(series, &series->at_peak);
}

void level_series_stop(struct level_series *series, uint64_t time_ns) {
  struct profile_slice *last = last_slice(series);
  if (last && time_ns > last->end_ns) last->end_ns = time_ns;
}

/* ---- the profile ---- */

/* The parts by tick: they are in the order of their slices, which those of a tick keep. */
static void order_parts(struct level_series *series) {
  size_t *next = memory_zeroed(series->level_count + 1, sizeof *next);
  struct profile_slice_tick *ordered = memory_zeroed(series->part_count, sizeof *ordered);
  for (size_t i = 0; i < series->part_count; i++)
    next[series->parts[i].tick + 1]++;
  for (size_t i = 0; i < series->level_count; i++)
    next[i + 1] += next[i];
  for (size_t i = 0; i < series->part_count; i++)
    ordered[next[series->parts[i].tick]++] = series->parts[i];
  free(series->parts);
  free(next);
  series->parts = ordered;
}

void level_series_finish(struct level_series *series) {
  struct profile *profile = series->stacks->profile;
  struct profile_metric *live = &profile->metrics[series->metric];
  for (size_t i = 0; i < series->at_end.count; i++)
    live->ticks[series->at_end.amounts[i].tick].amount.raw_ns = series->at_end.amounts[i].amount;
  for (size_t i = 0; i < series->at_peak.count; i++) {
    struct profile_tick tick = live->ticks[series->at_peak.amounts[i].tick];
    tick.amount = (struct amount){.raw_ns = series->at_peak.amounts[i].amount};
    builder_tick(&series->stacks->builder, series->peak, tick);
  }
  if (series->part_count) order_parts(series);
  live->series = series->parts;
  live->series_count = series->part_count;
  series->parts = NULL;
}

void level_series_free(struct level_series *series) {
  free(series->levels);
  free(series->live);
  free(series->met);
  free(series->at_end.amounts);
  free(series->at_peak.amounts);
  free(series->parts);
}
