/* Metrics after the first: figures of them for users; and how processes waited. */
#include <stdlib.h>

#include "profile/centres.h"
#include "store/writer_rows.h"

void writer_of_metric(struct writer *writer, uint32_t metric) {
  writer->profile->metric = metric;
  writer->books = writer->measured[metric].books;
  writer->costs = writer->measured[metric].costs;
}

static int write_functions(struct writer *writer) {
  int result = writer_begin(writer, "raw_metric_functions");
  for (size_t i = 0; result == 0 && i < writer->profile->function_count; i++) {
    const struct function_cost *cost = &writer->costs->functions[i];
    if (!cost->total.raw_ns && !cost->self.raw_ns) continue;
    bool known = costs_total_known(writer->profile, writer->costs, i);
    struct row_out *out = writer_row(writer);
    put_id(out, writer->profile->metric);
    put_id(out, i);
    writer_put_cost(writer, cost->self, known ? &cost->total : NULL);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_lines(struct writer *writer) {
  const struct costs *costs = writer->costs;
  int result = writer_begin(writer, "raw_metric_lines");
  for (size_t i = 0; result == 0 && i < writer->profile->line_count; i++) {
    bool known = costs_line_total_known(writer->profile, costs, i);
    const struct amount *total = known ? &costs->line_total[i] : NULL;
    if (!costs->line_self[i].raw_ns && !(total && total->raw_ns)) continue;
    struct row_out *out = writer_row(writer);
    put_id(out, writer->profile->metric);
    put_id(out, i);
    writer_put_cost(writer, costs->line_self[i], total);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_contexts(struct writer *writer) {
  int result = writer_begin(writer, "raw_metric_contexts");
  for (size_t i = 0; result == 0 && i < writer->profile->context_count; i++) {
    struct amount self = context_self(writer->profile, i);
    if (!self.raw_ns) continue;
    struct row_out *out = writer_row(writer);
    put_id(out, writer->profile->metric);
    put_id(out, i);
    writer_put_ns(writer, self);
    put_number(out, self.ticks);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_centres(struct writer *writer) {
  if (!profile_has_centres(writer->profile)) return 0;
  struct centre_costs *centres = centre_costs_make(writer->profile, writer->selection);
  int result = writer_begin(writer, "raw_metric_centres");
  for (size_t i = 0; result == 0 && i < centres->view.function_count; i++) {
    const struct function_cost *cost = &centres->costs->functions[i];
    if (!cost->total.raw_ns) continue;
    struct row_out *out = writer_row(writer);
    put_id(out, writer->profile->metric);
    put_id(out, i);
    writer_put_cost(writer, cost->self, &cost->total);
    result = writer_write(writer);
  }
  centre_costs_free(centres);
  return writer_end(writer, result);
}

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

static int write_waiting_processes(struct writer *writer) {
  for (size_t i = 0; i < writer->profile->metric_count; i++)
    if (writer->profile->metrics[i].kind == METRIC_WAITING)
      return writer_table(writer, "raw_wait_processes", writer->profile->process_count,
                          put_process);
  return 0;
}

/* Of each metric after the first. */
static int write_each(struct writer *writer, int (*write)(struct writer *)) {
  int result = 0;
  for (uint32_t i = 1; result == 0 && i < writer->profile->metric_count; i++) {
    writer_of_metric(writer, i);
    result = write(writer);
  }
  writer_of_metric(writer, 0);
  return result;
}

int writer_metrics(struct writer *writer) {
  int result = write_waiting_processes(writer);
  if (result == 0) result = write_each(writer, write_functions);
  return result == 0 ? write_each(writer, write_lines) : result;
}

int writer_metric_centres(struct writer *writer) {
  return write_each(writer, write_centres);
}

int writer_metric_contexts(struct writer *writer) {
  return write_each(writer, write_contexts);
}

void writer_measure(struct writer *writer) {
  size_t count = writer->profile->metric_count;
  writer->measured = memory_zeroed(count, sizeof *writer->measured);
  for (uint32_t i = 0; i < count; i++) {
    struct profile view = metric_view(writer->profile, i);
    writer->measured[i].costs = costs_compute(&view, writer->selection);
    books_make(&view, &writer->measured[i].books);
  }
  writer_of_metric(writer, 0);
  writer->centres = centre_costs_make(writer->profile, writer->selection);
}

void writer_forget_measures(struct writer *writer) {
  centre_costs_free(writer->centres);
  for (size_t i = 0; i < writer->profile->metric_count; i++)
    costs_free(writer->measured[i].costs);
  free(writer->measured);
}
