#include "attribution/recorded/recorded_slices.h"

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
