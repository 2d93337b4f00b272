/* Total times that follow from the calls of language hosts, for users: a profile that is read back
 * finds them again. Recursion is merged where control enters it: a call within it has none.
 * Source: Waddell and Ashley, section 4. */
#include <math.h>

#include "attribution/average_time.h"

#include "store/writer_rows.h"

static uint64_t ns_of(struct writer *writer, double raw) {
  return books_ns(&writer->books, (struct amount){.raw_ns = (uint64_t)llround(raw)});
}

static int write_totals(struct writer *writer, const struct average_time *average) {
  const struct profile *profile = writer->profile;
  int result = writer_begin(writer, "raw_ratio_totals");
  for (uint32_t i = 0; average && result == 0 && i < profile->function_count; i++) {
    if (!average_time_stands_for_total(profile, writer->costs, i)) continue;
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_number(out, ns_of(writer, average_time_of(average, i)));
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_calls(struct writer *writer, const struct average_time *average) {
  int result = writer_begin(writer, "raw_ratio_calls");
  for (uint32_t i = 0; average && result == 0 && i < writer->costs->arc_count; i++) {
    const struct arc_cost *arc = &writer->costs->arcs[i];
    double raw = average_time_of_arc(average, i);
    if (arc->caller == NOTHING || !arc->calls || raw <= 0 ||
        !average_time_stands_for_total(writer->profile, writer->costs, arc->callee))
      continue;
    struct row_out *out = writer_row(writer);
    put_id(out, arc->caller);
    put_id(out, arc->callee);
    put_number(out, arc->calls);
    put_number(out, ns_of(writer, raw));
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

int writer_ratios(struct writer *writer) {
  struct average_time *average =
      writer->profile->possible_call_count
          ? average_time_compute(writer->profile, writer->costs, writer->selection)
          : NULL;
  int result = write_totals(writer, average);
  if (result == 0) result = write_calls(writer, average);
  average_time_free(average);
  return result;
}
