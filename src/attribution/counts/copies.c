#include "attribution/counts/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/expressions.h"
#include "base/base_name.h"

/* ---- the tables ---- */

static uint64_t hash_of_expansion(const struct profile_expansion *expansion) {
  uint64_t hash = hash_mix((uint64_t)expansion->parent << 32 | expansion->function);
  hash = hash_mix(hash ^ (uintptr_t)expansion->macro);
  hash = hash_mix(hash ^ (uintptr_t)expansion->file);
  return hash_mix(hash ^ ((uint64_t)expansion->line << 32 | expansion->column));
}

static int is_same_expansion(const void *array, uint32_t index, const void *key) {
  const struct profile_expansion *a = (const struct profile_expansion *)array + index, *b = key;
  return a->parent == b->parent && a->function == b->function && a->macro == b->macro &&
         a->file == b->file && a->line == b->line && a->column == b->column &&
         a->defined_in == b->defined_in && a->defined_at == b->defined_at;
}

uint32_t copies_expansion(struct copy_table *table, const struct profile_expansion *expansion) {
  struct profile *profile = table->profile;
  uint64_t hash = hash_of_expansion(expansion);
  uint32_t id =
      hash_index_find(&table->expansions, hash, is_same_expansion, profile->expansions, expansion);
  if (id != HASH_INDEX_NONE) return id;
  id = profile->expansion_count;
  hash_index_add(&table->expansions, hash, id);
  ARRAY_GROW(profile->expansions, profile->expansion_count);
  profile->expansions[profile->expansion_count++] = *expansion;
  return id;
}

static uint64_t hash_of_block(const struct profile_block *block) {
  uint64_t hash = hash_mix((uint64_t)block->within << 32 | block->number);
  return hash_mix(hash ^ (uintptr_t)block->clone);
}

static int is_same_block(const void *array, uint32_t index, const void *key) {
  const struct profile_block *a = (const struct profile_block *)array + index, *b = key;
  return a->within == b->within && a->clone == b->clone && a->number == b->number &&
         a->loop == b->loop && a->loop_file == b->loop_file && a->loop_line == b->loop_line &&
         a->vectors == b->vectors && a->by == b->by && a->where == b->where;
}

uint32_t copies_block(struct copy_table *table, const struct profile_block *block) {
  struct profile *profile = table->profile;
  uint64_t hash = hash_of_block(block);
  uint32_t id = hash_index_find(&table->blocks, hash, is_same_block, profile->blocks, block);
  if (id != HASH_INDEX_NONE) return id;
  id = profile->block_count;
  hash_index_add(&table->blocks, hash, id);
  ARRAY_GROW(profile->blocks, profile->block_count);
  profile->blocks[profile->block_count++] = *block;
  return id;
}

static uint64_t hash_of_copy(const struct profile_copy *copy, uint32_t block) {
  uint64_t hash = hash_mix((uint64_t)copy->expression << 32 | copy->within);
  hash = hash_mix(hash ^ hash_mix((uintptr_t)copy->clone ^ (uint64_t)copy->expansion << 32));
  return hash_mix(hash ^ block);
}

static int is_same_copy(const void *array, uint32_t index, const void *key) {
  const struct profile_copy *a = (const struct profile_copy *)array + index, *b = key;
  return a->expression == b->expression && a->within == b->within && a->expansion == b->expansion &&
         a->clone == b->clone && a->block == b->block;
}

void copies_add(struct copy_table *table, const struct profile_copy *copy) {
  struct profile *profile = table->profile;
  uint64_t hash = hash_of_copy(copy, copy->block);
  uint32_t id = hash_index_find(&table->copies, hash, is_same_copy, profile->copies, copy);
  if (id != HASH_INDEX_NONE) {
    profile->copies[id].count += copy->count;
    return;
  }
  hash_index_add(&table->copies, hash, profile->copy_count);
  ARRAY_GROW(profile->copies, profile->copy_count);
  profile->copies[profile->copy_count++] = *copy;
}

void copies_close(struct copy_table *table) {
  hash_index_free(&table->expansions);
  hash_index_free(&table->blocks);
  hash_index_free(&table->copies);
}

const char *copies_clone(struct pool *pool, const char *linkage) {
  char suffix[256];
  const char *begin = linkage ? strchr(linkage, '.') : NULL;
  if (!begin || begin == linkage) return NULL;
  const char *piece = strstr(begin, ".cold");
  size_t length = piece ? (size_t)(piece - begin) : strlen(begin);
  if (!length || length >= sizeof suffix) return NULL;
  snprintf(suffix, sizeof suffix, "%.*s", (int)length, begin);
  return pool_string(pool, suffix);
}

/* ---- texts ---- */

static void print_step(FILE *out, const struct profile *profile,
                       const struct profile_expansion *expansion) {
  if (expansion->function == NOTHING)
    fprintf(out, "macro %s", expansion->macro ? expansion->macro : "");
  else
    fputs(profile->functions[expansion->function].name, out);
  if (expansion->file && expansion->line)
    fprintf(out, " at %s:%" PRIu32, base_name(expansion->file), expansion->line);
  if (expansion->file && expansion->line && expansion->column)
    fprintf(out, ":%" PRIu32, expansion->column);
}

char *expansion_text(const struct profile *profile, uint32_t expansion) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) memory_exhausted();
  for (uint32_t id = expansion; id != NOTHING; id = profile->expansions[id].parent) {
    if (id != expansion) fputs(" in ", out);
    print_step(out, profile, &profile->expansions[id]);
  }
  if (fclose(out) != 0) memory_exhausted();
  return text;
}

char *block_text(const struct profile_block *block) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) memory_exhausted();
  fprintf(out, "block %" PRIu32 ": in ", block->number);
  if (block->loop)
    fprintf(out, "loop %" PRIu32, block->loop);
  else
    fputs("no loop", out);
  if (block->loop && block->loop_file)
    fprintf(out, " (%s:%" PRIu32 ")", base_name(block->loop_file), block->loop_line);
  if (block->vectors) fprintf(out, ", vectors of %s", block->vectors);
  if (block->where) fprintf(out, ", where %s", block->where);
  if (block->by) fprintf(out, ", copied by %s", block->by);
  if (fclose(out) != 0) memory_exhausted();
  return text;
}

/* ---- cost ---- */

/* Copies by the numbers of their blocks, which instructions have. */
struct numbered {
  const struct profile *profile;
  struct hash_index index;
  bool *ambiguous; /* by copy: another has the same number */
};

struct wanted {
  struct profile_copy copy;
  uint32_t number; /* of its block, or 0 */
};

static uint32_t number_of(const struct profile *profile, const struct profile_copy *copy) {
  return copy->block == NOTHING ? 0 : profile->blocks[copy->block].number;
}

static int has_number(const void *profile, uint32_t index, const void *key) {
  const struct wanted *wanted = key;
  const struct profile_copy *a = &((const struct profile *)profile)->copies[index];
  const struct profile_copy *b = &wanted->copy;
  return a->expression == b->expression && a->within == b->within && a->expansion == b->expansion &&
         a->clone == b->clone && number_of(profile, a) == wanted->number;
}

static uint32_t find_numbered(const struct numbered *copies, const struct wanted *wanted) {
  return hash_index_find(&copies->index, hash_of_copy(&wanted->copy, wanted->number), has_number,
                         copies->profile, wanted);
}

static void number_copies(struct numbered *copies) {
  const struct profile *profile = copies->profile;
  for (uint32_t i = 0; i < profile->copy_count; i++) {
    struct wanted wanted = {profile->copies[i], number_of(profile, &profile->copies[i])};
    uint32_t known = find_numbered(copies, &wanted);
    if (known != HASH_INDEX_NONE)
      copies->ambiguous[known] = true;
    else
      hash_index_add(&copies->index, hash_of_copy(&wanted.copy, wanted.number), i);
  }
}

/* Code of a block may lie in ranges that have no copies there. */
static uint32_t copy_of(const struct numbered *copies,
                        const struct profile_instruction *instruction, uint32_t expression) {
  struct wanted wanted = {{.expression = expression,
                           .within = instruction->within,
                           .expansion = instruction->expansion,
                           .clone = instruction->clone},
                          instruction->discriminator};
  uint32_t id = find_numbered(copies, &wanted);
  if (id == HASH_INDEX_NONE && wanted.number) {
    wanted.number = 0;
    id = find_numbered(copies, &wanted);
  }
  return id == HASH_INDEX_NONE || copies->ambiguous[id] ? HASH_INDEX_NONE : id;
}

struct amount *copies_self(const struct profile *profile) {
  const struct profile_metric *metric = profile_metric(profile);
  struct amount *self = memory_zeroed(profile->copy_count, sizeof *self);
  uint32_t *expressions = profile->copy_count ? expressions_of_instructions(profile) : NULL;
  struct numbered copies = {.profile = profile,
                            .ambiguous =
                                memory_zeroed(profile->copy_count, sizeof *copies.ambiguous)};
  number_copies(&copies);
  for (size_t i = 0; expressions && i < metric->instruction_count; i++) {
    uint32_t id = copy_of(&copies, &metric->instructions[i], expressions[i]);
    if (id != HASH_INDEX_NONE) self[id] = amount_sum(self[id], metric->instructions[i].self);
  }
  hash_index_free(&copies.index);
  free(copies.ambiguous);
  free(expressions);
  return self;
}
