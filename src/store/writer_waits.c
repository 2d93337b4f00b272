/* Waiting (attribution/waits.h): how processes waited, and figures of it for users. */
#include "attribution/waits.h"

#include "store/writer_rows.h"

static void put_process(struct writer *writer, size_t i) {
  const struct profile_process *process = &writer->profile->processes[i];
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_number(out, process->lived_ns);
  put_number(out, process->looked_ns);
  put_number(out, process->ready_ns);
  put_number(out, process->waited_ns);
  put_number(out, process->unseen_errno);
}

/* With the costs of the view. */
static int write_functions(struct writer *writer) {
  int result = writer_begin(writer, "raw_wait_functions");
  for (size_t i = 0; result == 0 && i < writer->profile->function_count; i++) {
    const struct function_cost *cost = &writer->costs->functions[i];
    if (!cost->total.ticks) continue;
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    writer_put_estimate(writer, cost->self);
    put_number(out, cost->self.ticks);
    writer_put_estimate(writer, cost->total);
    put_number(out, cost->total.ticks);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_contexts(struct writer *writer) {
  int result = writer_begin(writer, "raw_wait_contexts");
  for (size_t i = 0; result == 0 && i < writer->profile->context_count; i++) {
    struct amount self = writer->profile->contexts[i].self;
    if (!self.ticks) continue;
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    writer_put_ns(writer, self);
    put_number(out, self.ticks);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_view(struct writer *writer) {
  struct profile view;
  waits_view(writer->profile, &view);
  struct costs *costs = costs_compute(&view, NULL);
  struct writer viewer = *writer;
  viewer.profile = &view;
  viewer.costs = costs;
  books_make(&view, &viewer.books);
  int result = write_functions(&viewer);
  if (result == 0) result = write_contexts(&viewer);
  costs_free(costs);
  waits_view_free(&view);
  return result;
}

int writer_waits(struct writer *writer) {
  if (!waits_known(writer->profile)) return 0;
  return writer_table(writer, "raw_wait_processes", writer->profile->process_count, put_process) ==
                 0
             ? write_view(writer)
             : -1;
}
