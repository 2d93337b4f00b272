/* The equations of a call graph, with what is known of their solutions. */
#include "store/writer_rows.h"

static void put_most(struct row_out *out, uint64_t most) {
  most == UINT64_MAX ? put_null(out) : put_number(out, most);
}

void writer_put_range(struct row_out *out, bool known, uint64_t least, uint64_t most) {
  known ? put_number(out, least) : put_null(out);
  known ? put_most(out, most) : put_null(out);
}

static int write_places(struct writer *writer) {
  const struct profile *profile = writer->profile;
  int result = writer_begin(writer, "INSERT INTO raw_call_places VALUES(?,?,?)");
  for (size_t i = 0; result == 0 && i < profile->call_place_count; i++) {
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_number(out, profile->call_places[i].least);
    put_most(out, profile->call_places[i].most);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_calls(struct writer *writer) {
  const struct profile *profile = writer->profile;
  int result = writer_begin(writer, "INSERT INTO raw_possible_calls VALUES(?,?,?,?,?,?)");
  for (size_t i = 0; result == 0 && i < profile->possible_call_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    struct row_out *out = writer_row(writer);
    put_id(out, call->place);
    put_id(out, call->site);
    put_calls(out, call->fixed, call->value);
    put_number(out, call->least);
    put_most(out, call->most);
    put_number(out, call->estimate);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

int writer_possible(struct writer *writer) {
  return write_places(writer) == 0 ? write_calls(writer) : -1;
}
