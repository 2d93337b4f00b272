/* Where the profile comes from, and figures that came with it. */
#include "store/writer_rows.h"

int writer_origin(struct writer *writer) {
  const struct profile_origin *origin = &writer->profile->origin;
  int result = writer_begin(writer, "INSERT INTO raw_origin VALUES(?,?,?,?,?)");
  if (result != 0) return writer_end(writer, result);
  struct row_out *out = writer_row(writer);
  put_text(out, origin->format);
  put_text(out, origin->event);
  put_text(out, origin->unit);
  put_text(out, origin->note);
  put_number(out, origin->evidence);
  return writer_end(writer, writer_write(writer));
}

static int write_process_sums(struct writer *writer) {
  const struct process_sum *sums = writer->profile->process_sums;
  int result = writer_begin(writer, "INSERT INTO raw_process_sums VALUES(?,?,?,?)");
  for (size_t i = 0; result == 0 && sums && i < writer->profile->process_count; i++) {
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_number(out, sums[i].delivered.ticks);
    put_number(out, sums[i].delivered.raw_ns);
    put_number(out, sums[i].calls);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_given_functions(struct writer *writer) {
  const struct costs *given = writer->profile->given;
  int result = writer_begin(writer, "INSERT INTO raw_given_functions VALUES(?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->function_count; i++) {
    const struct function_cost *cost = &given->functions[i];
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_number(out, cost->calls);
    put_number(out, cost->recursive);
    put_number(out, cost->self.ticks);
    put_number(out, cost->self.raw_ns);
    put_number(out, cost->total.ticks);
    put_number(out, cost->total.raw_ns);
    put_number(out, given->total_known[i]);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_given_arcs(struct writer *writer) {
  const struct costs *given = writer->profile->given;
  int result = writer_begin(writer, "INSERT INTO raw_given_arcs VALUES(?,?,?,?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < given->arc_count; i++) {
    const struct arc_cost *arc = &given->arcs[i];
    struct row_out *out = writer_row(writer);
    put_id(out, arc->caller);
    put_id(out, arc->callee);
    put_number(out, arc->calls);
    put_number(out, arc->in_child.ticks);
    put_number(out, arc->in_child.raw_ns);
    put_number(out, !arc->cost_unknown);
    put_number(out, arc->solved);
    writer_put_range(out, true, arc->least_calls, arc->most_calls);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_given_lines(struct writer *writer) {
  const struct costs *given = writer->profile->given;
  int result = writer_begin(writer, "INSERT INTO raw_given_lines VALUES(?,?,?)");
  for (size_t i = 0; result == 0 && i < writer->profile->line_count; i++) {
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_number(out, given->line_self[i].ticks);
    put_number(out, given->line_self[i].raw_ns);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

int writer_given(struct writer *writer) {
  if (write_process_sums(writer) != 0) return -1;
  if (!writer->profile->given) return 0;
  if (write_given_functions(writer) != 0 || write_given_arcs(writer) != 0) return -1;
  return write_given_lines(writer);
}
