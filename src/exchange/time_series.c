#include "exchange/time_series.h"

#include <stdlib.h>

#include "profile/appended.h"

/* More than any screen shows side by side; fewer where there would be too many parts of ticks. */
enum { SLICES_MOST = 1000, SLICES_LEAST = 16, PARTS_MOST = 1 << 18 };

void time_series_add(struct time_series *series, uint64_t time_ns, uint32_t tick) {
  struct time_sample sample = {time_ns, tick};
  (void)APPENDED(series->samples, series->count, sample);
}

static int ascending(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static size_t count_distinct(uint64_t *keys, size_t count) {
  qsort(keys, count, sizeof *keys, ascending);
  size_t distinct = count > 0;
  for (size_t i = 1; i < count; i++)
    distinct += keys[i] != keys[i - 1];
  return distinct;
}

/* 1, 2 or 5 times a power of ten, at least `wanted`. */
static uint64_t round_length(uint64_t wanted) {
  static const uint64_t steps[] = {1, 2, 5};
  for (uint64_t power = 1;; power *= 10)
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
      if (steps[i] * power >= wanted) return steps[i] * power;
}

/* At least a tick; `keys` is room for one of each sample. */
static uint64_t slice_length(const struct time_series *series, uint64_t *keys, uint64_t tick_ns,
                             uint64_t end_ns) {
  uint64_t wanted = end_ns / SLICES_MOST + 1;
  if (wanted < tick_ns) wanted = tick_ns;
  for (;; wanted *= 2) {
    uint64_t length = round_length(wanted);
    for (size_t i = 0; i < series->count; i++)
      keys[i] = series->samples[i].time_ns / length << 32 | series->samples[i].tick;
    if (end_ns / length <= SLICES_LEAST || count_distinct(keys, series->count) <= PARTS_MOST)
      return length;
  }
}

/* Cuts the slices, and says by slice which is the first of its pieces. To be freed. */
static uint32_t *cut_slices(struct profile *profile, uint64_t length) {
  uint32_t *pieces = memory_zeroed(profile->slice_count, sizeof *pieces);
  struct profile_slice *cut = NULL;
  size_t count = 0;
  for (size_t i = 0; i < profile->slice_count; i++) {
    struct profile_slice piece = profile->slices[i];
    pieces[i] = (uint32_t)count;
    do {
      bool is_last = profile->slices[i].end_ns - piece.start_ns <= length;
      piece.end_ns = is_last ? profile->slices[i].end_ns : piece.start_ns + length;
      (void)APPENDED(cut, count, piece);
      piece.start_ns = piece.end_ns;
    } while (piece.end_ns < profile->slices[i].end_ns);
  }
  free(profile->slices);
  profile->slices = cut;
  profile->slice_count = count;
  return pieces;
}

static void make_slices(struct profile *profile, uint64_t length, uint64_t end_ns) {
  struct profile_slice whole = {.end_ns = end_ns + 1};
  if (!profile->slice_count) (void)APPENDED(profile->slices, profile->slice_count, whole);
  uint32_t *pieces = cut_slices(profile, length);
  for (size_t k = 0; k < profile->metric_count; k++)
    for (size_t i = 0; i < profile->metrics[k].series_count; i++) {
      struct profile_slice_tick *part = &profile->metrics[k].series[i];
      part->slice = pieces[part->slice];
    }
  free(pieces);
}

static uint32_t slice_at(const struct profile *profile, uint64_t time_ns) {
  size_t low = 0, high = profile->slice_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (profile->slices[middle].start_ns <= time_ns)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)low;
}

void time_series_finish(struct time_series *series, struct profile *profile, uint32_t metric,
                        uint64_t tick_ns, uint64_t end_ns) {
  struct profile_metric *timed = &profile->metrics[metric];
  uint64_t *keys = memory_zeroed(series->count, sizeof *keys);
  make_slices(profile, slice_length(series, keys, tick_ns, end_ns), end_ns);
  for (size_t i = 0; i < series->count; i++)
    keys[i] =
        (uint64_t)slice_at(profile, series->samples[i].time_ns) << 32 | series->samples[i].tick;
  qsort(keys, series->count, sizeof *keys, ascending);
  for (size_t i = 0, next; i < series->count; i = next) {
    for (next = i + 1; next < series->count && keys[next] == keys[i];)
      next++;
    struct profile_slice_tick part = {(uint32_t)(keys[i] >> 32),
                                      (uint32_t)keys[i],
                                      NOTHING,
                                      {.ticks = next - i, .raw_ns = (next - i) * tick_ns}};
    (void)APPENDED(timed->series, timed->series_count, part);
  }
  free(keys);
}

void time_series_free(struct time_series *series) {
  free(series->samples);
}
