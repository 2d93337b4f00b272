/* What was measured when, of several runs. Slices stay those of their processes, and each run has a
 * clock of its own: times are since its first process was started.
 *
 * While profiles are added, rows of a level (metric_is_level) say by how much it changed, modulo
 * 2^64: changes add up, as all other rows do. */
#include <stdlib.h>

#include "attribution/merge/merge_parts.h"
#include "profile/appended.h"

/* With more rows than ROWS_MOST slices become longer, until ROWS_LEFT are left. Where a run would
 * have fewer than PARTS_LEAST slices, nothing is known by time. */
enum {
  ROWS_MOST = 1 << 20,
  ROWS_LEFT = ROWS_MOST / 2,
  LENGTHENED_FIRST_NS = 2 * SLICE_NS,
  PARTS_LEAST = 16
};

static struct amount difference(struct amount now, struct amount before) {
  return (struct amount){now.ticks - before.ticks, now.raw_ns - before.raw_ns,
                         now.unseen_ns - before.unseen_ns, now.variance - before.variance};
}

/* ---- adding ---- */

void merge_slices(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  struct profile *profile = merge->profile;
  ids->first_slice = (uint32_t)profile->slice_count;
  for (size_t i = 0; i < from->slice_count; i++) {
    struct profile_slice slice = from->slices[i];
    slice.process += ids->first_process;
    (void)APPENDED(profile->slices, profile->slice_count, slice);
  }
  for (size_t i = 0; i < from->mark_count; i++) {
    struct profile_mark mark = from->marks[i];
    mark.process += ids->first_process;
    mark.text = merge_text(merge, mark.text);
    (void)APPENDED(profile->marks, profile->mark_count, mark);
  }
}

static bool has_ticks(const struct profile_metric *metric) {
  for (size_t i = 0; i < metric->tick_count; i++)
    if (metric->ticks[i].amount.ticks || metric->ticks[i].amount.raw_ns) return true;
  return false;
}

void merge_series(struct merge *merge, const struct merge_ids *ids, uint32_t metric,
                  const uint32_t *ticks, const uint32_t *instructions) {
  const struct profile_metric *from = &ids->from->metrics[metric];
  struct profile_metric *to = &merge->profile->metrics[metric];
  struct amount level = {0};
  merge->untimed[metric] |= !from->series_count && has_ticks(from);
  if (merge->untimed[metric]) return;
  for (size_t i = 0; i < from->series_count; i++) {
    struct profile_slice_tick part = from->series[i];
    if (metric_is_level(from)) {
      part.amount = difference(part.amount, level);
      level = from->series[i].amount;
      if (metric_level_ends(ids->from, from, i)) level = (struct amount){0};
    }
    part.slice += ids->first_slice;
    part.tick = ticks[part.tick];
    part.instruction = merged_id(instructions, part.instruction);
    (void)APPENDED(to->series, to->series_count, part);
  }
}

void merge_slice_entries(struct merge *merge, const struct merge_ids *ids,
                         const uint32_t *transitions) {
  const struct profile *from = ids->from->centres;
  struct profile *to = merge->profile->centres;
  for (size_t i = 0; i < from->transition_count && !from->slice_entry_count; i++)
    merge->untimed_entries |= from->transitions[i].count > 0;
  for (size_t i = 0; i < from->slice_entry_count && !merge->untimed_entries; i++) {
    struct profile_slice_entries entries = from->slice_entries[i];
    entries.slice += ids->first_slice;
    entries.transition = transitions[entries.transition];
    (void)APPENDED(to->slice_entries, to->slice_entry_count, entries);
  }
}

/* What some profile did not know by time would not add up to the whole. */
static void drop_untimed(struct merge *merge) {
  struct profile *profile = merge->profile;
  for (size_t i = 0; i < profile->metric_count; i++)
    if (merge->untimed[i]) profile->metrics[i].series_count = 0;
  if (merge->untimed_entries) profile->centres->slice_entry_count = 0;
}

static bool any_timed(const struct merge *merge) {
  bool timed = !merge->untimed_entries;
  for (size_t i = 0; i < merge->profile->metric_count; i++)
    timed |= !merge->untimed[i];
  return timed;
}

/* ---- longer slices ---- */

static int by_slice(const void *left, const void *right) {
  const struct profile_slice_tick *a = left, *b = right;
  if (a->slice != b->slice) return a->slice < b->slice ? -1 : 1;
  if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
  return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static int entries_by_slice(const void *left, const void *right) {
  const struct profile_slice_entries *a = left, *b = right;
  if (a->slice != b->slice) return a->slice < b->slice ? -1 : 1;
  return (a->transition > b->transition) - (a->transition < b->transition);
}

static void sum_rows(struct profile_metric *metric, const uint32_t *slices) {
  size_t kept = 0;
  if (!metric->series_count) return;
  for (size_t i = 0; i < metric->series_count; i++)
    metric->series[i].slice = slices[metric->series[i].slice];
  qsort(metric->series, metric->series_count, sizeof *metric->series, by_slice);
  for (size_t i = 0; i < metric->series_count; i++) {
    const struct profile_slice_tick *at = &metric->series[i];
    struct profile_slice_tick *last = kept ? &metric->series[kept - 1] : NULL;
    if (last && by_slice(last, at) == 0)
      last->amount = amount_sum(last->amount, at->amount);
    else
      metric->series[kept++] = *at;
  }
  metric->series_count = kept;
}

static void sum_entries(struct profile *centres, const uint32_t *slices) {
  struct profile_slice_entries *list = centres->slice_entries;
  size_t kept = 0;
  if (!centres->slice_entry_count) return;
  for (size_t i = 0; i < centres->slice_entry_count; i++)
    list[i].slice = slices[list[i].slice];
  qsort(list, centres->slice_entry_count, sizeof *list, entries_by_slice);
  for (size_t i = 0; i < centres->slice_entry_count; i++) {
    if (kept && entries_by_slice(&list[kept - 1], &list[i]) == 0)
      list[kept - 1].count += list[i].count;
    else
      list[kept++] = list[i];
  }
  centres->slice_entry_count = kept;
}

/* Slices of a process that begin within the same `length_ns` become one. Returns by old slice the
 * new one. */
static uint32_t *join_slices(struct profile *profile, uint64_t length_ns) {
  uint32_t *ids = memory_zeroed(profile->slice_count, sizeof *ids);
  size_t kept = 0;
  for (size_t i = 0; i < profile->slice_count; i++) {
    const struct profile_slice slice = profile->slices[i];
    struct profile_slice *last = &profile->slices[kept - 1];
    if (kept && last->process == slice.process &&
        last->start_ns / length_ns == slice.start_ns / length_ns) {
      last->end_ns = slice.end_ns;
      last->cpu_ns += slice.cpu_ns;
      last->system_ns += slice.system_ns;
    } else {
      profile->slices[kept++] = slice;
    }
    ids[i] = (uint32_t)kept - 1;
  }
  profile->slice_count = kept;
  return ids;
}

static size_t rows_of(const struct profile *profile) {
  size_t rows = profile->centres->slice_entry_count;
  for (size_t i = 0; i < profile->metric_count; i++)
    rows += profile->metrics[i].series_count;
  return rows;
}

static void lengthen(struct profile *profile, uint64_t length_ns) {
  uint32_t *slices = join_slices(profile, length_ns);
  for (size_t i = 0; i < profile->metric_count; i++)
    sum_rows(&profile->metrics[i], slices);
  sum_entries(profile->centres, slices);
  free(slices);
}

static uint64_t last_end(const struct profile *profile) {
  uint64_t end = 0;
  for (size_t i = 0; i < profile->slice_count; i++)
    if (profile->slices[i].end_ns > end) end = profile->slices[i].end_ns;
  return end;
}

void merge_lengthen_slices(struct merge *merge) {
  struct profile *profile = merge->profile;
  if (rows_of(profile) <= ROWS_MOST) return;
  uint64_t longest = last_end(profile) / PARTS_LEAST;
  if (!merge->slice_ns) merge->slice_ns = LENGTHENED_FIRST_NS;
  lengthen(profile, merge->slice_ns);
  while (rows_of(profile) > ROWS_LEFT && 2 * merge->slice_ns <= longest)
    lengthen(profile, merge->slice_ns *= 2);
  if (rows_of(profile) <= ROWS_MOST) return;
  for (size_t i = 0; i < profile->metric_count; i++)
    merge->untimed[i] = true;
  merge->untimed_entries = true;
  drop_untimed(merge);
}

/* ---- the result ---- */

static int by_tick(const void *left, const void *right) {
  const struct profile_slice_tick *a = left, *b = right;
  if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
  return (a->slice > b->slice) - (a->slice < b->slice);
}

/* Slices of a process follow each other, so what is by slice is by process, too. */
static void sum_changes(const struct profile *profile, struct profile_metric *metric) {
  struct amount level = {0};
  size_t kept = 0;
  if (!metric->series_count) return;
  qsort(metric->series, metric->series_count, sizeof *metric->series, by_tick);
  for (size_t i = 0; i < metric->series_count; i++) {
    struct profile_slice_tick at = metric->series[i];
    bool ends = metric_level_ends(profile, metric, i);
    level = amount_sum(level, at.amount);
    if (!ends && by_tick(&at, &metric->series[i + 1]) == 0) continue;
    at.amount = level;
    if (at.amount.variance < 0) at.amount.variance = 0; /* rounding */
    metric->series[kept++] = at;
    if (ends) level = (struct amount){0};
  }
  metric->series_count = kept;
}

static int marks_by_time(const void *left, const void *right) {
  const struct profile_mark *a = left, *b = right;
  if (a->time_ns != b->time_ns) return a->time_ns < b->time_ns ? -1 : 1;
  return (a->process > b->process) - (a->process < b->process);
}

void merge_series_finish(struct merge *merge) {
  struct profile *profile = merge->profile;
  drop_untimed(merge);
  if (!any_timed(merge)) profile->slice_count = 0;
  for (size_t i = 0; i < profile->metric_count; i++)
    if (metric_is_level(&profile->metrics[i])) sum_changes(profile, &profile->metrics[i]);
  if (profile->mark_count)
    qsort(profile->marks, profile->mark_count, sizeof *profile->marks, marks_by_time);
}
