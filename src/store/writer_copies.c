/* Copies of code, and how they came to where they run. */
#include <stdlib.h>

#include "attribution/counts/copies.h"
#include "store/writer_rows.h"

static int write_expansion(struct writer *writer, uint32_t id) {
  const struct profile_expansion *expansion = &writer->profile->expansions[id];
  struct row_out *out = writer_row(writer);
  char *through = expansion_text(writer->profile, id);
  put_id(out, id);
  put_id(out, expansion->parent);
  put_id(out, expansion->function);
  put_text(out, expansion->macro);
  writer_put_file(writer, expansion->defined_in);
  put_number(out, expansion->defined_at);
  writer_put_file(writer, expansion->file);
  put_number(out, expansion->line);
  put_number(out, expansion->column);
  put_text(out, through);
  int result = writer_write(writer);
  free(through);
  return result;
}

static int write_expansions(struct writer *writer) {
  int result = writer_begin(writer, "raw_expansions");
  for (uint32_t i = 0; result == 0 && i < writer->profile->expansion_count; i++)
    result = write_expansion(writer, i);
  return writer_end(writer, result);
}

static int write_block(struct writer *writer, uint32_t id) {
  const struct profile_block *block = &writer->profile->blocks[id];
  struct row_out *out = writer_row(writer);
  char *place = block_text(block);
  put_id(out, id);
  put_id(out, block->within);
  put_text(out, block->clone);
  put_number(out, block->number);
  put_number(out, block->loop);
  writer_put_file(writer, block->loop_file);
  put_number(out, block->loop_line);
  put_text(out, block->vectors);
  put_text(out, block->by);
  put_text(out, block->where);
  put_text(out, place);
  int result = writer_write(writer);
  free(place);
  return result;
}

static int write_blocks(struct writer *writer) {
  int result = writer_begin(writer, "raw_blocks");
  for (uint32_t i = 0; result == 0 && i < writer->profile->block_count; i++)
    result = write_block(writer, i);
  return writer_end(writer, result);
}

int writer_copies(struct writer *writer) {
  const struct profile *profile = writer->profile;
  if (write_expansions(writer) != 0 || write_blocks(writer) != 0) return -1;
  struct amount *self = copies_self(profile);
  int result = writer_begin(writer, "raw_copies");
  for (size_t i = 0; result == 0 && i < profile->copy_count; i++) {
    const struct profile_copy *copy = &profile->copies[i];
    struct row_out *out = writer_row(writer);
    put_id(out, copy->expression);
    put_id(out, copy->within);
    put_id(out, copy->expansion);
    put_text(out, copy->clone);
    put_id(out, copy->block);
    put_number(out, copy->count);
    put_number(out, self[i].ticks);
    writer_put_estimate(writer, self[i]);
    result = writer_write(writer);
  }
  free(self);
  return writer_end(writer, result);
}
