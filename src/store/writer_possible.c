/* The equations of a call graph, with what is known of their solutions. */
#include "store/writer_rows.h"

static void put_most(struct row_out *out, uint64_t most) {
  most == UINT64_MAX ? put_null(out) : put_number(out, most);
}

void writer_put_range(struct row_out *out, bool known, uint64_t least, uint64_t most) {
  known ? put_number(out, least) : put_null(out);
  known ? put_most(out, most) : put_null(out);
}

static void put_place(struct writer *writer, size_t i) {
  const struct profile *profile = writer->profile;
  struct row_out *out = writer_row(writer);
  put_id(out, i);
  put_number(out, profile->call_places[i].least);
  put_most(out, profile->call_places[i].most);
}

static void put_possible_call(struct writer *writer, size_t i) {
  const struct profile *profile = writer->profile;
  const struct profile_possible_call *call = &profile->possible_calls[i];
  struct row_out *out = writer_row(writer);
  put_id(out, call->place);
  put_id(out, call->site);
  put_calls(out, call->fixed, call->value);
  put_number(out, call->least);
  put_most(out, call->most);
  put_number(out, call->estimate);
}

int writer_possible(struct writer *writer) {
  const struct profile *profile = writer->profile;
  if (writer_table(writer, "raw_call_places", profile->call_place_count, put_place) != 0) return -1;
  return writer_table(writer, "raw_possible_calls", profile->possible_call_count,
                      put_possible_call);
}
