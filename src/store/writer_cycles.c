/* Cycles that occurred (attribution/cycles.h), for users: a profile that is read back finds them
 * again. */
#include "attribution/cycles.h"

#include "store/writer_rows.h"

static int write_cycles(struct writer *writer, const struct cycles *cycles) {
  int result = writer_begin(writer, "raw_cycles");
  for (size_t i = 0; result == 0 && i < cycles->count; i++) {
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_number(out, cycles->list[i].length);
    put_number(out, cycles->list[i].calls);
    put_number(out, cycles->list[i].ticks);
    result = writer_write(writer);
  }
  return writer_end(writer, result);
}

static int write_functions(struct writer *writer, const struct cycles *cycles) {
  int result = writer_begin(writer, "raw_cycle_functions");
  for (size_t i = 0; i < cycles->count; i++)
    for (uint32_t k = 0; result == 0 && k < cycles->list[i].length; k++) {
      struct row_out *out = writer_row(writer);
      put_id(out, i);
      put_number(out, k + 1);
      put_id(out, cycles->list[i].functions[k]);
      result = writer_write(writer);
    }
  return writer_end(writer, result);
}

int writer_cycles(struct writer *writer) {
  struct cycles *cycles = cycles_find(writer->profile, NULL);
  int result = write_cycles(writer, cycles);
  if (result == 0) result = write_functions(writer, cycles);
  cycles_free(cycles);
  return result;
}
