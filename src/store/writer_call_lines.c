/* Time of calls by the lines that they stand on (attribution/call_lines.h), for users. */
#include "attribution/call_lines.h"

#include <stdlib.h>

#include "attribution/costs.h"
#include "store/writer_rows.h"

static int write_lines(struct writer *writer, const struct call_lines *lines) {
  int result = writer_begin(writer, "raw_call_lines");
  for (size_t i = 0; result == 0 && i < lines->count; i++) {
    const struct call_line *call = &lines->list[i];
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_id(out, call->line);
    put_id(out, call->callee);
    put_number(out, call->total.ticks);
    writer_put_estimate(writer, call->total);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_sites(struct writer *writer, const struct call_lines *lines) {
  int result = writer_begin(writer, "raw_site_times");
  for (size_t i = 0; result == 0 && i < writer->profile->site_count; i++) {
    if (lines->of_site[i] == NOTHING) continue;
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_id(out, lines->of_site[i]);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

int writer_call_lines(struct writer *writer) {
  bool *selected = costs_select(writer->profile, writer->selection);
  struct call_lines *lines = call_lines_find(writer->profile, selected);
  int result = write_lines(writer, lines);
  if (result == 0) result = write_sites(writer, lines);
  call_lines_free(lines);
  free(selected);
  return result;
}
