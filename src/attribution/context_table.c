#include "attribution/context_table.h"

#include <string.h>

static uint64_t history_hash(const struct profile_context *context) {
  uint64_t hash = context->thread + 1;
  for (uint32_t i = 0; i < context->length; i++)
    hash = (hash ^ context->history[i]) * 0x9e3779b97f4a7c15u;
  return hash_mix(hash);
}

static int is_context(const void *contexts, uint32_t index, const void *key) {
  const struct profile_context *known = (const struct profile_context *)contexts + index;
  const struct profile_context *wanted = key;
  return known->thread == wanted->thread && known->length == wanted->length &&
         (!known->length ||
          memcmp(known->history, wanted->history, known->length * sizeof *known->history) == 0);
}

void context_table_open(struct context_table *table, struct profile *profile) {
  *table = (struct context_table){.profile = profile};
}

void context_table_close(struct context_table *table) {
  hash_index_free(&table->index);
}

uint32_t context_intern(struct context_table *table, uint32_t thread, const uint32_t *history,
                        uint32_t length) {
  struct profile *profile = table->profile;
  struct profile_context context = {.history = history, .length = length, .thread = thread};
  uint64_t hash = history_hash(&context);
  uint32_t known = hash_index_find(&table->index, hash, is_context, profile->contexts, &context);
  if (known != HASH_INDEX_NONE) return known;

  uint32_t *copy = pool_allocate(profile->pool, length * sizeof *history);
  if (length) memcpy(copy, history, length * sizeof *history);
  context.history = copy;
  MEMORY_GROW(profile->contexts, profile->context_count, table->context_room);
  profile->contexts[profile->context_count] = context;
  if (hash_index_add(&table->index, hash, profile->context_count) != 0) memory_exhausted();
  return profile->context_count++;
}
