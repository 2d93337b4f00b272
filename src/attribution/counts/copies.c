#include "attribution/counts/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/expressions.h"
#include "base/base_name.h"

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

/* ---- cost ---- */

static int is_copy(const void *copies, uint32_t index, const void *key) {
  return copy_is((const struct profile_copy *)copies + index, key);
}

static struct profile_copy copy_of(const struct profile_instruction *instruction,
                                   uint32_t expression) {
  return (struct profile_copy){.expression = expression,
                               .within = instruction->within,
                               .expansion = instruction->expansion,
                               .clone = instruction->clone,
                               .count = COPY_UNCOUNTED};
}

static void find_in_metric(struct profile_builder *builder) {
  const struct profile_metric *metric = profile_metric(builder->profile);
  uint32_t *expressions = expressions_of_instructions(builder->profile);
  for (size_t i = 0; i < metric->instruction_count; i++) {
    const struct profile_instruction *instruction = &metric->instructions[i];
    if (expressions[i] != NOTHING && instruction->within != NOTHING)
      builder_copy(builder, copy_of(instruction, expressions[i]));
  }
  free(expressions);
}

void copies_find(struct profile_builder *builder) {
  struct profile *profile = builder->profile;
  uint32_t selected = profile->metric;
  if (!profile->expression_count) return;
  for (profile->metric = 0; profile->metric < profile->metric_count; profile->metric++)
    find_in_metric(builder);
  profile->metric = selected;
}

struct amount *copies_self(const struct profile *profile) {
  const struct profile_metric *metric = profile_metric(profile);
  struct amount *self = memory_zeroed(profile->copy_count, sizeof *self);
  uint32_t *expressions = profile->copy_count ? expressions_of_instructions(profile) : NULL;
  struct hash_index index = {0};
  for (uint32_t i = 0; i < profile->copy_count; i++)
    hash_index_add(&index, copy_hash(&profile->copies[i]), i);
  for (size_t i = 0; expressions && i < metric->instruction_count; i++) {
    struct profile_copy copy = copy_of(&metric->instructions[i], expressions[i]);
    uint32_t id = hash_index_find(&index, copy_hash(&copy), is_copy, profile->copies, &copy);
    if (id != HASH_INDEX_NONE) self[id] = amount_sum(self[id], metric->instructions[i].self);
  }
  hash_index_free(&index);
  free(expressions);
  return self;
}
