/* Waiting (attribution/waits.h): its ticks, and figures of it for users. */
#include "attribution/waits.h"

#include "store/writer_rows.h"

static int write_ticks(struct writer *writer) {
  const struct profile_waits *waits = &writer->profile->waits;
  int result = writer_begin(writer, "INSERT INTO raw_waits VALUES(?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < waits->tick_count; i++) {
    const struct profile_tick *tick = &waits->ticks[i];
    struct row_out *out = writer_row(writer);
    put_id(out, tick->context);
    put_id(out, tick->line);
    put_id(out, tick->stack);
    put_number(out, tick->amount.ticks);
    put_number(out, tick->amount.raw_ns);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_instructions(struct writer *writer) {
  const struct profile_waits *waits = &writer->profile->waits;
  int result = writer_begin(writer, "INSERT INTO raw_wait_instructions VALUES(?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < waits->instruction_count; i++) {
    const struct profile_instruction *instruction = &waits->instructions[i];
    struct row_out *out = writer_row(writer);
    put_id(out, instruction->line);
    put_number(out, instruction->column);
    put_id(out, instruction->object);
    put_number(out, instruction->offset);
    put_number(out, instruction->self.ticks);
    put_number(out, instruction->self.raw_ns);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_processes(struct writer *writer) {
  int result = writer_begin(writer, "INSERT INTO raw_wait_processes VALUES(?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->process_count; i++) {
    const struct profile_process *process = &writer->profile->processes[i];
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_number(out, process->lived_ns);
    put_number(out, process->looked_ns);
    put_number(out, process->ready_ns);
    put_number(out, process->waited_ns);
    put_number(out, process->unseen_errno);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

/* With the costs of the view. */
static int write_functions(struct writer *writer) {
  int result = writer_begin(writer, "INSERT INTO raw_wait_functions VALUES(?,?,?,?,?,?,?)");
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
  int result = writer_begin(writer, "INSERT INTO raw_wait_contexts VALUES(?,?,?)");
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
  if (write_ticks(writer) != 0 || write_instructions(writer) != 0 || write_processes(writer) != 0)
    return -1;
  return write_view(writer);
}
