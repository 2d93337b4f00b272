#include "profile/context_table.h"

#include <string.h>

#include "profile/appended.h"

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

static void enter(struct context_table *table, uint32_t id) {
  uint64_t hash = history_hash(&table->profile->contexts[id]);
  hash_index_add(&table->index, hash, id);
}

void context_table_open(struct context_table *table, struct profile *profile) {
  *table = (struct context_table){.profile = profile};
  for (size_t i = 0; i < profile->context_count; i++)
    enter(table, i);
}

void context_table_close(struct context_table *table) {
  hash_index_free(&table->index);
}

uint32_t context_find(const struct context_table *table, uint32_t thread, const uint32_t *history,
                      uint32_t length) {
  struct profile_context wanted = {.history = history, .length = length, .thread = thread};
  return hash_index_find(&table->index, history_hash(&wanted), is_context, table->profile->contexts,
                         &wanted);
}

uint32_t profile_add_context(struct profile *profile, uint32_t thread, const uint32_t *history,
                             uint32_t length) {
  uint32_t *copy = pool_allocate(profile->pool, length * sizeof *history);
  if (length) memcpy(copy, history, length * sizeof *history);
  struct profile_context context = {.history = copy, .length = length, .thread = thread};
  return APPENDED(profile->contexts, profile->context_count, context);
}

uint32_t context_intern(struct context_table *table, uint32_t thread, const uint32_t *history,
                        uint32_t length) {
  struct profile *profile = table->profile;
  uint32_t known = context_find(table, thread, history, length);
  if (known != NOTHING) return known;

  uint32_t id = profile_add_context(profile, thread, history, length);
  enter(table, id);
  return id;
}
