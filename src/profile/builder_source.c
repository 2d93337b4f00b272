/* The source in a profile: each expression, expansion, block and copy once. */
#include "profile/appended.h"
#include "profile/builder.h"

/* ---- expressions ---- */

static uint64_t hash_of_expression(const struct profile_expression *expression) {
  uint64_t hash = hash_mix((uint64_t)expression->function << 32 | expression->line);
  hash = hash_mix(hash ^ (uintptr_t)expression->file);
  hash = hash_mix(hash ^ ((uint64_t)expression->column << 32 | expression->end_line));
  hash = hash_mix(hash ^ ((uint64_t)expression->way << 32 | expression->end_column));
  return hash_mix(hash ^ (uintptr_t)expression->label ^ expression->kind);
}

static int is_expression(const void *array, uint32_t index, const void *key) {
  const struct profile_expression *a = (const struct profile_expression *)array + index, *b = key;
  return a->function == b->function && a->file == b->file && a->line == b->line &&
         a->column == b->column && a->end_line == b->end_line && a->end_column == b->end_column &&
         a->way == b->way && a->label == b->label && a->kind == b->kind;
}

uint32_t builder_expression(struct profile_builder *builder, struct profile_expression expression) {
  struct profile *profile = builder->profile;
  uint64_t hash = hash_of_expression(&expression);
  uint32_t id = hash_index_find(&builder->expressions, hash, is_expression, profile->expressions,
                                &expression);
  if (id != HASH_INDEX_NONE) {
    profile->expressions[id].count += expression.count;
    return id;
  }
  hash_index_add(&builder->expressions, hash, (uint32_t)profile->expression_count);
  return APPENDED(profile->expressions, profile->expression_count, expression);
}

/* ---- copies ---- */

static uint64_t hash_of_expansion(const struct profile_expansion *expansion) {
  uint64_t hash = hash_mix((uint64_t)expansion->parent << 32 | expansion->function);
  hash = hash_mix(hash ^ (uintptr_t)expansion->macro);
  hash = hash_mix(hash ^ (uintptr_t)expansion->file);
  return hash_mix(hash ^ ((uint64_t)expansion->line << 32 | expansion->column));
}

static int is_expansion(const void *array, uint32_t index, const void *key) {
  const struct profile_expansion *a = (const struct profile_expansion *)array + index, *b = key;
  return a->parent == b->parent && a->function == b->function && a->macro == b->macro &&
         a->file == b->file && a->line == b->line && a->column == b->column &&
         a->defined_in == b->defined_in && a->defined_at == b->defined_at;
}

uint32_t builder_expansion(struct profile_builder *builder, struct profile_expansion expansion) {
  struct profile *profile = builder->profile;
  uint64_t hash = hash_of_expansion(&expansion);
  uint32_t id =
      hash_index_find(&builder->expansions, hash, is_expansion, profile->expansions, &expansion);
  if (id != HASH_INDEX_NONE) return id;
  hash_index_add(&builder->expansions, hash, (uint32_t)profile->expansion_count);
  return APPENDED(profile->expansions, profile->expansion_count, expansion);
}

static int is_copy(const void *array, uint32_t index, const void *key) {
  return copy_is((const struct profile_copy *)array + index, key);
}

void builder_copy(struct profile_builder *builder, struct profile_copy copy) {
  struct profile *profile = builder->profile;
  uint64_t hash = copy_hash(&copy);
  uint32_t id = hash_index_find(&builder->copies, hash, is_copy, profile->copies, &copy);
  if (id != HASH_INDEX_NONE) {
    uint64_t *count = &profile->copies[id].count;
    bool known = *count != COPY_UNCOUNTED && copy.count != COPY_UNCOUNTED;
    *count = known ? *count + copy.count : COPY_UNCOUNTED;
    return;
  }
  hash_index_add(&builder->copies, hash, (uint32_t)profile->copy_count);
  (void)APPENDED(profile->copies, profile->copy_count, copy);
}
