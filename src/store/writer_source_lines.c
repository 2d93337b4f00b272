/* Lines of source text with all that is known of them (attribution/line_figures.h), for users. */
#include <stdlib.h>

#include "attribution/line_figures.h"
#include "store/writer_rows.h"

/* Null: nothing is known of executions. */
static void put_executions(struct row_out *out, const struct line_figure *line) {
  enum line_state state = line->macro ? LINE_MACRO : line->unsure ? LINE_UNSURE : LINE_COUNTED;
  put_calls(out, line->has_code, state);
  put_calls(out, line->has_code && !line->unsure, line->executed);
}

static int write_line(struct writer *writer, uint32_t id, const struct line_figure *line) {
  struct row_out *out = writer_row(writer);
  put_id(out, id);
  writer_put_file(writer, line->file);
  put_number(out, line->line);
  put_number(out, line->self.ticks);
  writer_put_estimate(writer, line->self);
  put_calls(out, line->total_known, line->total.ticks);
  writer_put_optional(writer, line->total_known ? &line->total : NULL);
  put_number(out, line->calls);
  put_executions(out, line);
  return writer_write(writer);
}

int writer_source_lines(struct writer *writer) {
  bool *selected = costs_select(writer->profile, writer->selection);
  const struct line_question all = {.selected = selected};
  struct line_figures figures;
  line_figures_make(writer->profile, writer->costs, &all, &figures);
  int result = writer_begin(writer, "raw_source_lines");
  for (uint32_t i = 0; result == 0 && i < figures.count; i++)
    result = write_line(writer, i, &figures.lines[i]);
  line_figures_free(&figures);
  free(selected);
  return writer_end(writer, result);
}
