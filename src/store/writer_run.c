/* The run and its processes. */
#include "attribution/run.h"
#include "store/writer_rows.h"

static void put_process(struct row_out *out, const struct profile_process *process) {
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
  put_number(out, process->finished);
  put_number(out, process->truncated);
  put_number(out, process->ways);
  put_number(out, process->tick_source);
  put_number(out, process->tick_errno);
  put_number(out, process->tick_flags);
  put_number(out, process->rate_hz);
  put_number(out, process->period_ns);
  put_number(out, process->events_counted);
  put_number(out, process->profiler.ticks);
  put_number(out, process->profiler.raw_ns);
  put_number(out, process->handler_ns);
  put_number(out, process->recorder_ns);
  put_number(out, process->hook_ps);
  put_number(out, process->slow_steps);
  put_number(out, process->rebuilds);
  put_number(out, process->overflow_calls);
  put_number(out, process->threads_started);
  for (int kind = 0; kind < DROP_KINDS; kind++)
    put_number(out, process->drops[kind]);
}

int writer_processes(struct writer *writer) {
  int result =
      writer_begin(writer, "INSERT INTO raw_processes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                           "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->process_count; i++) {
    put_id(writer_row(writer), i);
    put_process(&writer->row, &writer->profile->processes[i]);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

int writer_run(struct writer *writer) {
  const struct books *books = &writer->books;
  struct run run;
  char ways[WAYS_TEXT_BYTES];
  run_make(writer->profile, &run);
  ways_text(run.ways, ways);
  int result = writer_begin(
      writer, "INSERT INTO raw_runs VALUES(1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
              "?,?,?,?,?,?,?)");
  if (result != 0) return writer_end(writer, result);
  struct row_out *out = writer_row(writer);
  put_text(out, writer->profile->version);
  put_text(out, run.command);
  put_text(out, run.directory);
  put_text(out, run.host);
  put_number(out, run.started_ns);
  put_number(out, run.ended_ns);
  put_text(out, ways);
  put_text(out, clock_text(run.tick_source));
  put_number(out, run.rate_hz);
  put_number(out, books->all.ticks);
  put_number(out, run.lost_ticks);
  put_number(out, books->user_ns);
  put_number(out, books->system_ns);
  put_number(out, books->sampled_ns);
  put_number(out, books->kernel_ns);
  put_number(out, books->unsampled_ns);
  put_number(out, books->paused_ns);
  put_number(out, books_charged_ns(books));
  writer_put_ns(writer, books->profiler);
  put_number(out, books->handlers_ns);
  put_number(out, books->recorder_ns);
  put_number(out, books->hooks_ns);
  writer_put_ns(writer, books->dropped);
  put_number(out, books->calls);
  for (int kind = DROP_CONTEXTS; kind <= DROP_PROCESSES; kind++)
    put_number(out, run.drops[kind]);
  return writer_end(writer, writer_write(writer));
}
