#include "attribution/recorded/process_figures.h"

#include <math.h>
#include <string.h>

/* The counter runs as the clock does, which both were read at two moments. */
double figures_cycle_ns(const struct recording_header *header) {
  double cycles = (double)header->tsc_updated - header->tsc_started;
  double ns = (double)header->updated_ns - header->started_ns;
  return cycles > 0 && ns > 0 ? ns / cycles : 0;
}

/* A damaged header may have any numbers. */
static uint64_t at_most(double value, double most) {
  if (most > (double)INT64_MAX) most = (double)INT64_MAX;
  if (value > most) value = most;
  return value > 0 ? (uint64_t)value : 0;
}

static uint64_t handler_ns(const struct recording_header *header) {
  return at_most(header->handler_cycles * figures_cycle_ns(header),
                 (double)header->cpu_user_ns + header->cpu_system_ns);
}

static uint64_t hook_ps(double cycles, const struct recording_header *header) {
  return at_most(cycles * figures_cycle_ns(header), INFINITY);
}

static uint64_t increments_of_hosts(const struct process_recording *recorded) {
  uint64_t sum = 0;
  for (size_t i = 0; i < recorded->point_count; i++)
    sum += recorded->points[i].count;
  return sum;
}

/* Without names. */
static struct profile_process figures_of(const struct process_recording *recorded) {
  const struct recording_header *header = &recorded->header;
  struct profile_process process = {
      .pid = header->pid,
      .parent_pid = header->parent_pid,
      .sequence = recorded->sequence,
      .started_ns = header->started_ns,
      .updated_ns = header->updated_ns,
      .cycle_ns = figures_cycle_ns(header),
      .cpu_user_ns = header->cpu_user_ns,
      .cpu_system_ns = header->cpu_system_ns,
      .paused_user_ns = header->paused_user_ns,
      .paused_system_ns = header->paused_system_ns,
      .owner = header->owner,
      .end = recorded->end,
      .end_signal = (uint32_t)recorded->end_signal,
      .truncated = recorded->truncated,
      .hooks = header->hooks,
      .tick_source = header->tick_source,
      .tick_errno = header->tick_errno,
      .tick_flags = header->tick_flags,
      .hindrances = header->hindrances,
      .rate_hz = header->rate_hz,
      .period_ns = header->period_ns,
      .handler_ns = handler_ns(header),
      .recorder_ns = header->recorder_ns,
      .unknown_ns = recorded->unknown_ns,
      .hook_low_ps = hook_ps(header->hook_low, header),
      .hook_high_ps = hook_ps(header->hook_high, header),
      .increments = increments_of_hosts(recorded),
      .slow_steps = recorded->slow_steps,
      .rebuilds = header->rebuilds,
      .overflow_calls = header->overflow_calls,
      .threads_started = header->threads_started,
  };
  memcpy(process.drops, header->drops, sizeof process.drops);
  return process;
}

struct profile_process *process_figures_make(const struct recording *recording) {
  struct profile_process *figures = memory_zeroed(recording->process_count, sizeof *figures);
  for (size_t i = 0; i < recording->process_count; i++)
    figures[i] = figures_of(&recording->processes[i]);
  return figures;
}
