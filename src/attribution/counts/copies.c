#include "attribution/counts/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/expressions.h"
#include "base/base_name.h"
#include "profile/builder.h"

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
  return hash_index_find(&copies->index, copy_hash(&wanted->copy, wanted->number), has_number,
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
      hash_index_add(&copies->index, copy_hash(&wanted.copy, wanted.number), i);
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
