/* Copies of code, and how they came to where they run. */
#include "store/loader.h"

static void take_expansion(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->expansion_count);
  MEMORY_GROW(profile->expansions, profile->expansion_count, loader->expansion_room);
  struct profile_expansion *expansion = &profile->expansions[profile->expansion_count];
  expansion->parent = get_optional_id(row, profile->expansion_count);
  expansion->function = get_optional_id(row, profile->function_count);
  expansion->macro = loader_text(loader, row);
  expansion->defined_in = loader_file(loader, row);
  expansion->defined_at = get_number(row, UINT32_MAX);
  expansion->file = loader_file(loader, row);
  expansion->line = get_number(row, UINT32_MAX);
  expansion->column = get_number(row, UINT32_MAX);
  profile->expansion_count++;
}

static void take_block(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->block_count);
  MEMORY_GROW(profile->blocks, profile->block_count, loader->block_room);
  struct profile_block *block = &profile->blocks[profile->block_count++];
  block->within = get_id(row, profile->function_count);
  block->clone = loader_text(loader, row);
  block->number = get_number(row, UINT32_MAX);
  block->loop = get_number(row, UINT32_MAX);
  block->loop_file = loader_file(loader, row);
  block->loop_line = get_number(row, UINT32_MAX);
  block->vectors = loader_text(loader, row);
  block->by = loader_text(loader, row);
  block->where = loader_text(loader, row);
}

static void take_copy(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  MEMORY_GROW(profile->copies, profile->copy_count, loader->copy_room);
  struct profile_copy *copy = &profile->copies[profile->copy_count++];
  copy->expression = get_id(row, profile->expression_count);
  copy->within = get_id(row, profile->function_count);
  copy->expansion = get_optional_id(row, profile->expansion_count);
  copy->clone = loader_text(loader, row);
  copy->block = get_optional_id(row, profile->block_count);
  copy->count = get_number(row, INT64_MAX);
}

int loader_expansions(struct loader *loader) {
  return loader_rows(loader,
                     "SELECT id, parent, function, macro, defined_file, defined_line, file, line,"
                     " source_column FROM raw_expansions ORDER BY id",
                     take_expansion);
}

int loader_blocks(struct loader *loader) {
  return loader_rows(loader,
                     "SELECT id, within, clone, number, loop, loop_file, loop_line, vectors,"
                     " copied_by, condition FROM raw_blocks ORDER BY id",
                     take_block);
}

int loader_copies(struct loader *loader) {
  return loader_rows(loader,
                     "SELECT expression, within, expansion, clone, block, count FROM raw_copies"
                     " ORDER BY rowid",
                     take_copy);
}
