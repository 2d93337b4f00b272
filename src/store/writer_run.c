/* Runs and their processes. */
#include "attribution/runs.h"
#include "store/writer_rows.h"

static void put_process(struct writer *writer, size_t i) {
  const struct profile_process *process = &writer->profile->processes[i];
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_id(out, process->run);
  put_number(out, process->pid);
  put_number(out, process->parent_pid);
  put_number(out, process->sequence);
  put_text(out, process->executable);
  put_text(out, process->command);
  put_text(out, process->directory);
  put_text(out, process->host);
  put_number(out, process->started_ns);
  put_number(out, process->updated_ns);
  put_number(out, process->cpu_user_ns);
  put_number(out, process->cpu_system_ns);
  put_number(out, process->paused_user_ns);
  put_number(out, process->paused_system_ns);
  put_number(out, process->end);
  put_number(out, process->end_signal);
  put_number(out, process->truncated);
  put_number(out, process->ways);
  put_number(out, process->tick_source);
  put_number(out, process->tick_errno);
  put_number(out, process->tick_flags);
  put_number(out, process->hindrances);
  put_number(out, process->rate_hz);
  put_number(out, process->period_ns);
  put_number(out, process->events_counted);
  put_number(out, process->profiler.ticks);
  put_number(out, process->profiler.raw_ns);
  put_number(out, process->handler_ns);
  put_number(out, process->threads_unsampled_ns);
  put_number(out, process->recorder_ns);
  put_number(out, process->unknown_ns);
  put_number(out, process->increments);
  put_number(out, process->hook_low_ps);
  put_number(out, process->hook_high_ps);
  put_real(out, process->squares);
  put_number(out, process->slow_steps);
  put_number(out, process->rebuilds);
  put_number(out, process->overflow_calls);
  put_number(out, process->threads_started);
  for (int kind = 0; kind < DROP_KINDS; kind++)
    put_number(out, process->drops[kind]);
}

int writer_processes(struct writer *writer) {
  return writer_table(writer, "raw_processes", writer->profile->process_count, put_process);
}

static void put_run(struct row_out *out, const struct profile_run *run) {
  put_text(out, run->version);
  put_text(out, run->command);
  put_text(out, run->directory);
  put_text(out, run->host);
  put_number(out, run->started_ns);
  put_number(out, run->ended_ns);
  put_text(out, run->hooks);
  put_text(out, run->clock);
  put_number(out, run->rate_hz);
  put_number(out, run->ticks);
  put_number(out, run->lost_ticks);
  put_number(out, run->user_ns);
  put_number(out, run->system_ns);
  put_number(out, run->sampled_ns);
  put_number(out, run->kernel_ns);
  put_number(out, run->unsampled_ns);
  put_number(out, run->whole_ns);
  put_number(out, run->paused_ns);
  put_number(out, run->charged_low_ns);
  put_number(out, run->charged_high_ns);
  put_number(out, run->profiler_ns);
  put_number(out, run->handlers_ns);
  put_number(out, run->recorder_ns);
  put_number(out, run->hooks_low_ns);
  put_number(out, run->hooks_high_ns);
  put_number(out, run->dropped_ns);
  put_number(out, run->calls);
  for (int kind = DROP_CONTEXTS; kind <= DROP_PROCESSES; kind++)
    put_number(out, run->drops[kind]);
}

int writer_runs(struct writer *writer) {
  const struct profile *profile = writer->profile;
  struct profile_run one;
  if (!profile->run_count) runs_make(profile, profile->pool, &one);
  const struct profile_run *runs = profile->run_count ? profile->runs : &one;
  size_t count = profile->run_count ? profile->run_count : 1;
  int result = writer_begin(writer, "raw_runs");
  for (size_t i = 0; result == 0 && i < count; i++) {
    put_id(writer_row(writer), i);
    put_run(&writer->row, &runs[i]);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static void put_uncertainty(struct row_out *out, uint64_t ns) {
  ns == UNCERTAINTY_UNKNOWN ? put_null(out) : put_number(out, ns);
}

static void put_run_cost(struct writer *writer, size_t i) {
  const struct profile_run_cost *cost = &writer->profile->run_costs[i];
  struct row_out *out = writer_row(writer);
  put_id(out, cost->run);
  put_id(out, cost->function);
  put_number(out, cost->calls);
  put_number(out, cost->self_ns);
  put_uncertainty(out, cost->self_uncertainty_ns);
  put_number(out, cost->total_ns);
  put_uncertainty(out, cost->total_uncertainty_ns);
  put_number(out, cost->total_known);
}

int writer_run_costs(struct writer *writer) {
  return writer_table(writer, "raw_run_costs", writer->profile->run_cost_count, put_run_cost);
}
