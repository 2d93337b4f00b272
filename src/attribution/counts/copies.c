#include "attribution/counts/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/expressions.h"

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
  if (hash_index_add(&table->expansions, hash, id) != 0) memory_exhausted();
  MEMORY_GROW(profile->expansions, profile->expansion_count, table->expansion_room);
  profile->expansions[profile->expansion_count++] = *expansion;
  return id;
}

static uint64_t hash_of_copy(const struct profile_copy *copy) {
  uint64_t hash = hash_mix((uint64_t)copy->expression << 32 | copy->within);
  return hash_mix(hash ^ hash_mix((uintptr_t)copy->clone ^ (uint64_t)copy->expansion << 32));
}

static int is_same_copy(const void *array, uint32_t index, const void *key) {
  const struct profile_copy *a = (const struct profile_copy *)array + index, *b = key;
  return a->expression == b->expression && a->within == b->within && a->expansion == b->expansion &&
         a->clone == b->clone;
}

void copies_add(struct copy_table *table, const struct profile_copy *copy) {
  struct profile *profile = table->profile;
  uint64_t hash = hash_of_copy(copy);
  uint32_t id = hash_index_find(&table->copies, hash, is_same_copy, profile->copies, copy);
  if (id != HASH_INDEX_NONE) {
    profile->copies[id].count += copy->count;
    return;
  }
  if (hash_index_add(&table->copies, hash, profile->copy_count) != 0) memory_exhausted();
  MEMORY_GROW(profile->copies, profile->copy_count, table->copy_room);
  profile->copies[profile->copy_count++] = *copy;
}

void copies_close(struct copy_table *table) {
  hash_index_free(&table->expansions);
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

static const char *base_name(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

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

struct amount *copies_self(const struct profile *profile) {
  struct amount *self = memory_zeroed(profile->copy_count, sizeof *self);
  uint32_t *expressions = profile->copy_count ? expressions_of_instructions(profile) : NULL;
  struct hash_index index = {0};
  for (uint32_t i = 0; i < profile->copy_count; i++)
    if (hash_index_add(&index, hash_of_copy(&profile->copies[i]), i) != 0) memory_exhausted();
  for (size_t i = 0; expressions && i < profile->instruction_count; i++) {
    const struct profile_instruction *instruction = &profile->instructions[i];
    struct profile_copy copy = {.expression = expressions[i],
                                .within = instruction->within,
                                .expansion = instruction->expansion,
                                .clone = instruction->clone};
    uint32_t id =
        hash_index_find(&index, hash_of_copy(&copy), is_same_copy, profile->copies, &copy);
    if (id != HASH_INDEX_NONE) self[id] = amount_sum(self[id], instruction->self);
  }
  hash_index_free(&index);
  free(expressions);
  return self;
}
