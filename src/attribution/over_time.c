#include "attribution/over_time.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/allocation_place.h"
#include "attribution/heap_costs.h"
#include "attribution/interval.h"
#include "profile/centres.h"

enum { SLICES_OF_A_PART = 4 };

/* 1, 2 or 5 times a power of ten. */
static uint64_t length_for(const struct profile *profile, uint64_t from_ns, uint64_t end_ns,
                           size_t parts_most) {
  static const unsigned factors[] = {1, 2, 5};
  uint64_t slices = 0, length = 1000000;
  for (size_t i = 0; i < profile->slice_count; i++)
    slices += profile->slices[i].start_ns >= from_ns && profile->slices[i].start_ns < end_ns;
  if (profile->run_count) slices /= profile->run_count; /* each has its own */
  uint64_t most = slices / SLICES_OF_A_PART + 1;
  if (most > parts_most) most = parts_most;
  for (;; length *= 10)
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
      if ((end_ns - from_ns) / (length * factors[i]) < most) return length * factors[i];
}

static uint32_t owner_of(const struct profile *profile, const struct over_time *times,
                         const struct profile_tick *tick, const bool *passed) {
  if (times->by == TIME_OF_FUNCTIONS && passed)
    return profile->lines[allocation_place(profile, tick, passed).line].function;
  if (times->by == TIME_OF_FUNCTIONS) return profile->lines[tick->line].function;
  if (times->by == TIME_OF_THREADS) return profile->contexts[tick->context].thread;
  if (times->by == TIME_OF_KINDS) {
    uint32_t kind = tick->kind == NOTHING ? NOTHING : times->kinds[tick->kind];
    return kind == NOTHING ? (uint32_t)times->owner_count - 1 : kind;
  }
  if (tick->centre == NOTHING) return (uint32_t)times->owner_count - 1;
  return context_running(&profile->centres->contexts[tick->centre]);
}

/* The part that a moment is in; `count`: none. What is live was so before the first one, too. */
static size_t part_of(const struct over_time *times, uint64_t start_ns, bool level) {
  if (start_ns < times->first_ns) return level ? 0 : times->count;
  size_t part = (start_ns - times->first_ns) / times->length_ns;
  return part < times->count ? part : times->count;
}

/* ---- CPU time ---- */

/* The time of a part that lies in a slice. */
static uint64_t overlap_ns(const struct over_time *times, size_t part,
                           const struct profile_slice *slice) {
  uint64_t from = times->first_ns + part * times->length_ns, to = from + times->length_ns;
  if (from < slice->start_ns) from = slice->start_ns;
  if (to > slice->end_ns) to = slice->end_ns;
  return to > from ? to - from : 0;
}

/* CPU time that no tick stands for is nobody's. A slice's is spread over it. */
static void add_cpu_time(const struct profile *profile, struct over_time *times) {
  for (size_t i = 0; i < profile->slice_count; i++) {
    const struct profile_slice *slice = &profile->slices[i];
    double part_of_slice = slice->cpu_ns / fmax(1, (double)(slice->end_ns - slice->start_ns));
    for (size_t k = part_of(times, slice->start_ns, true); k < times->count; k++) {
      uint64_t within = overlap_ns(times, k, slice);
      if (!within) break;
      times->cpu_ns[k] += llround(within * part_of_slice);
    }
  }
}

/* ---- amounts ---- */

/* By process: the first part in which it lived no more. */
static size_t *ends_of_processes(const struct profile *profile, const struct over_time *times) {
  size_t *ends = memory_zeroed(profile->process_count, sizeof *ends);
  for (size_t i = 0; i < profile->slice_count; i++) {
    const struct profile_slice *slice = &profile->slices[i];
    if (slice->end_ns <= times->first_ns) continue;
    size_t end = (slice->end_ns - times->first_ns - 1) / times->length_ns + 1;
    if (end > ends[slice->process]) ends[slice->process] = end;
  }
  return ends;
}

static void add_amounts(const struct profile *profile, const struct selection *selection,
                        struct over_time *times) {
  const struct profile_metric *metric = profile_metric(profile);
  bool *selected = costs_select(profile, selection);
  bool *passed = metric->kind == METRIC_HEAP ? allocation_passes(profile, selection) : NULL;
  bool level = metric_is_level(metric);
  size_t *ends = level ? ends_of_processes(profile, times) : NULL;
  for (size_t i = 0; i < metric->series_count; i++) {
    const struct profile_slice_tick *at = &metric->series[i], *next = at + 1;
    const struct profile_tick *tick = &metric->ticks[at->tick];
    const struct profile_slice *slice = &profile->slices[at->slice];
    size_t first = part_of(times, slice->start_ns, level), end = first + 1;
    if (!selected[tick->context]) continue;
    if (level)
      end = metric_level_ends(profile, metric, i)
                ? ends[slice->process]
                : part_of(times, profile->slices[next->slice].start_ns, true);
    uint32_t owner = owner_of(profile, times, tick, passed);
    for (size_t k = first; k < end && k < times->count; k++) {
      times->of_parts[k] += at->amount.raw_ns;
      times->of_owners[k * times->owner_count + owner] += at->amount.raw_ns;
    }
  }
  free(selected);
  free(passed);
  free(ends);
}

static size_t owners(const struct profile *profile, enum time_owners by) {
  if (by == TIME_OF_THREADS) return profile->thread_count;
  if (by == TIME_OF_KINDS) return profile->kind_count + 1;
  return by == TIME_OF_CENTRES ? profile->centres->function_count + 1 : profile->function_count;
}

bool over_time_make(const struct profile *profile, const struct selection *selection,
                    enum time_owners by, size_t parts_most, struct over_time *made) {
  const struct profile_metric *metric = profile_metric(profile);
  uint64_t from = profile->interval.from_ns, end = interval_last(profile);
  if (!metric->series_count || end <= from) return false;
  if (by == TIME_OF_CENTRES && !profile_has_centres(profile)) return false;
  if (by == TIME_OF_KINDS && !profile->kind_count) return false;
  *made = (struct over_time){.first_ns = from,
                             .length_ns = length_for(profile, from, end, parts_most),
                             .end_ns = end,
                             .by = by,
                             .owner_count = owners(profile, by)};
  if (by == TIME_OF_KINDS) made->kinds = heap_kinds_named(profile);
  made->count = (end - from + made->length_ns - 1) / made->length_ns;
  made->of_parts = memory_zeroed(made->count, sizeof *made->of_parts);
  made->of_owners = memory_zeroed(made->count * made->owner_count, sizeof *made->of_owners);
  made->cpu_ns = memory_zeroed(made->count, sizeof *made->cpu_ns);
  add_amounts(profile, selection, made);
  if (metric->kind == METRIC_CPU && costs_selects_all(selection)) add_cpu_time(profile, made);
  return true;
}

void over_time_free(struct over_time *made) {
  free(made->of_parts);
  free(made->of_owners);
  free(made->cpu_ns);
  free(made->kinds);
}

const char *over_time_owner(const struct profile *profile, const struct over_time *times,
                            uint32_t owner, struct pool *pool) {
  if (times->by == TIME_OF_FUNCTIONS) return profile->functions[owner].name;
  if (times->by == TIME_OF_CENTRES)
    return owner < profile->centres->function_count ? profile->centres->functions[owner].name
                                                    : "(in no cost centre)";
  if (times->by == TIME_OF_KINDS)
    return owner < profile->kind_count ? profile->kinds[owner].name : "(unknown)";
  const struct profile_thread *thread = &profile->threads[owner];
  char *text =
      memory_printed("%s%sthread %u", thread->name, thread->name[0] ? ", " : "", thread->tid);
  const char *name = pool_string(pool, text);
  free(text);
  return name;
}
