#include "attribution/recorded/recorded_slices.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/recorded/process_figures.h"
#include "profile/appended.h"

/* Nanoseconds from the start of the first process to that of the last one. */
static uint64_t started_after(const struct profile *profile) {
  uint64_t first = profile->processes[0].started_ns;
  uint64_t own = profile->processes[profile->process_count - 1].started_ns;
  return own > first ? own - first : 0;
}

/* A damaged recording may have any numbers. */
static uint64_t rise(uint64_t from, uint64_t to) {
  return to > from && to <= INT64_MAX ? to - from : 0;
}

/* When it began, since the process did. */
static uint64_t start_of(const struct process_recording *process, size_t slice) {
  const struct recording_header *header = &process->header;
  double ns =
      (double)rise(header->tsc_started, process->slices[slice].tsc) * figures_cycle_ns(header);
  return ns < (double)INT64_MAX ? (uint64_t)ns : 0;
}

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

uint32_t recorded_slices_add(struct profile *profile, const struct process_recording *process) {
  const struct recording_header *header = &process->header;
  uint32_t first = (uint32_t)profile->slice_count;
  uint64_t after = started_after(profile), end = rise(header->started_ns, header->updated_ns);
  uint64_t cpu_ns = header->cpu_user_ns + header->cpu_system_ns;
  uint64_t paused_ns = rise(0, header->paused_user_ns + header->paused_system_ns);
  cpu_ns = rise(paused_ns, cpu_ns);
  for (size_t i = 0; i < process->slice_count; i++) {
    const struct recorded_slice *recorded = &process->slices[i];
    struct profile_slice slice = {.process = (uint32_t)profile->process_count - 1,
                                  .start_ns = after + start_of(process, i),
                                  .resident_bytes = rise(0, recorded->resident_bytes)};
    bool last = i + 1 == process->slice_count;
    if (i) slice.start_ns = later(slice.start_ns, profile->slices[first + i - 1].start_ns);
    slice.end_ns = later(slice.start_ns, after + (last ? end : start_of(process, i + 1)));
    uint64_t next_ns = last ? cpu_ns : recorded[1].cpu_ns;
    if (recorded->cpu_ns || !i) slice.cpu_ns = rise(recorded->cpu_ns, next_ns);
    (void)APPENDED(profile->slices, profile->slice_count, slice);
  }
  return first;
}

/* ---- slices in which nothing ran ---- */

enum { ENTRIES_OF_A_LENGTH = 1 << 16 }; /* as runtime/ticks/slices.c */

/* By slice: as long as ticks came into it. Without many entries of cost centres its number tells;
 * else none is longer than the time until the next one, nor than those that follow. */
static uint64_t *busy_lengths(const struct process_recording *process,
                              const struct profile_slice *slices, size_t count) {
  uint64_t *lengths = memory_zeroed(count, sizeof *lengths), shortest = UINT64_MAX;
  bool many = process->entry_count >= ENTRIES_OF_A_LENGTH;
  for (size_t i = count; i-- > 0;) {
    uint64_t length = slices[i].end_ns - slices[i].start_ns, doubled = i / SLICES_OF_A_LENGTH;
    if (i + 1 < count && length < shortest) shortest = length;
    lengths[i] = doubled < 32 ? (uint64_t)SLICE_NS << doubled : UINT64_MAX;
    if (many) lengths[i] = i + 1 < count ? shortest : length;
  }
  return lengths;
}

static void append_piece(struct profile *profile, struct profile_slice piece, uint64_t start_ns) {
  profile->slices[profile->slice_count - 1].end_ns = start_ns;
  piece.start_ns = start_ns;
  piece.cpu_ns = piece.system_ns = 0;
  (void)APPENDED(profile->slices, profile->slice_count, piece);
}

/* Returns the profile's slice of each of the old ones. */
static uint32_t *cut(struct profile *profile, uint32_t first, const uint64_t *lengths,
                     const struct process_recording *seen) {
  size_t count = profile->slice_count - first, next = 0;
  uint64_t after = started_after(profile);
  uint32_t *ids = memory_zeroed(count, sizeof *ids);
  struct profile_slice *old = memory_zeroed(count, sizeof *old);
  if (count) memcpy(old, profile->slices + first, count * sizeof *old);
  profile->slice_count = first;
  for (size_t i = 0; i < count; i++) {
    uint64_t busy_until =
        old[i].end_ns - old[i].start_ns > lengths[i] ? old[i].start_ns + lengths[i] : old[i].end_ns;
    ids[i] = APPENDED(profile->slices, profile->slice_count, old[i]);
    for (; next < seen->slice_count && after + seen->slices[next].tsc < old[i].end_ns; next++)
      if (after + seen->slices[next].tsc >= busy_until)
        append_piece(profile, old[i], after + seen->slices[next].tsc);
  }
  free(old);
  return ids;
}

/* Those of the process came last. */
static void renumber(struct profile *profile, uint32_t first, const uint32_t *ids) {
  for (size_t i = 0; i < profile->metric_count; i++) {
    struct profile_metric *metric = &profile->metrics[i];
    for (size_t k = metric->series_count; k-- > 0 && metric->series[k].slice >= first;)
      metric->series[k].slice = ids[metric->series[k].slice - first];
  }
  struct profile_slice_entries *entries = profile->centres->slice_entries;
  for (size_t i = profile->centres->slice_entry_count; i-- > 0 && entries[i].slice >= first;)
    entries[i].slice = ids[entries[i].slice - first];
}

/* The last that has begun by then, or the first. */
static uint32_t slice_at(const struct profile *profile, uint32_t first, uint64_t ns) {
  size_t low = first + 1, high = profile->slice_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (profile->slices[middle].start_ns <= ns)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)low - 1;
}

uint32_t *recorded_slices_cut(struct profile *profile, const struct process_recording *process,
                              uint32_t first, const struct process_recording *seen) {
  uint32_t *found = memory_zeroed(seen->slice_count, sizeof *found);
  size_t count = profile->slice_count - first;
  uint64_t after = started_after(profile);
  uint64_t *lengths = busy_lengths(process, profile->slices + first, count);
  uint32_t *ids = cut(profile, first, lengths, seen);
  renumber(profile, first, ids);
  for (size_t i = 0; i < seen->slice_count; i++)
    found[i] = count ? slice_at(profile, first, after + seen->slices[i].tsc) : NOTHING;
  free(lengths);
  free(ids);
  return found;
}
