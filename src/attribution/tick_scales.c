#include "attribution/tick_scales.h"

#include "attribution/books.h"
#include "base/array.h"

enum { FEW_TICKS = 100 };

static bool is_sampled(const struct profile_process *process) {
  return process->tick_source == TICK_PERF || process->tick_source == TICK_TIMER ||
         process->tick_source == TICK_PERF_OUTSIDE;
}

static double weight_of(const struct process_recording *process) {
  double weight = (double)process->header.profiler_ticks + process->header.drops[DROP_TICKS];
  for (size_t i = 0; i < process->tick_count; i++)
    weight += process->ticks[i].weight;
  return weight;
}

/* Pauses stay in the process's figures. */
static void mend(struct profile_process *process, const struct process_time *time) {
  uint64_t paused_user = process->paused_user_ns, paused_system = process->paused_system_ns;
  if (paused_user > process->cpu_user_ns) paused_user = process->cpu_user_ns;
  if (paused_system > process->cpu_system_ns) paused_system = process->cpu_system_ns;
  process->cpu_user_ns = time->user_ns + paused_user;
  process->cpu_system_ns = time->system_ns + paused_system;
}

double *tick_scales_make(const struct recording *recording, struct profile_process *figures) {
  size_t count = recording->process_count;
  double *scales = memory_zeroed(count, sizeof *scales);
  double time_of_few = 0, raw_of_few = 0;
  for (size_t i = 0; i < count; i++) {
    double weight = weight_of(&recording->processes[i]), raw_ns = weight * figures[i].period_ns;
    struct process_time time;
    scales[i] = 1;
    if (!is_sampled(&figures[i]) || raw_ns >= 0x1p63) continue;
    process_time_make(&figures[i], raw_ns, &time);
    mend(&figures[i], &time);
    if (weight >= FEW_TICKS) {
      if (time.sampled_ns && raw_ns > 0) scales[i] = time.sampled_ns / raw_ns;
      continue;
    }
    scales[i] = 0; /* one of the few */
    time_of_few += time.sampled_ns;
    raw_of_few += raw_ns;
  }
  for (size_t i = 0; i < count; i++)
    if (!scales[i]) scales[i] = time_of_few && raw_of_few ? time_of_few / raw_of_few : 1;
  return scales;
}
