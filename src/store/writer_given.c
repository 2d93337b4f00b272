/* Where the profile comes from, and figures that came with it. */
#include "store/writer_rows.h"

static void put_origin(struct writer *writer, size_t i) {
  const struct profile_origin *origin = &writer->profile->origin;
  struct row_out *out = writer_row(writer);
  put_text(out, origin->format);
  put_text(out, origin->note);
}

int writer_origin(struct writer *writer) {
  return writer_table(writer, "raw_origin", 1, put_origin);
}

static void put_process_calls(struct writer *writer, size_t i) {
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_number(out, writer->profile->process_calls[i]);
}

static void put_function(struct writer *writer, size_t i) {
  const struct costs *given = writer->profile->given;
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
}

static void put_arc(struct writer *writer, size_t i) {
  const struct costs *given = writer->profile->given;
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
}

static void put_line(struct writer *writer, size_t i) {
  const struct costs *given = writer->profile->given;
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_number(out, given->line_self[i].ticks);
  put_number(out, given->line_self[i].raw_ns);
}

int writer_given(struct writer *writer) {
  const struct profile *profile = writer->profile;
  size_t calls = profile->process_calls ? profile->process_count : 0;
  if (writer_table(writer, "raw_process_calls", calls, put_process_calls) != 0) return -1;
  if (!profile->given) return 0;
  if (writer_table(writer, "raw_given_functions", profile->function_count, put_function) != 0 ||
      writer_table(writer, "raw_given_arcs", profile->given->arc_count, put_arc) != 0)
    return -1;
  return writer_table(writer, "raw_given_lines", profile->line_count, put_line);
}
