/* Rules by program counter: a direct-mapped table in the caller's memory.
 *
 * Threads and signal handlers may share one without a lock: a slot keeps its key combined with its
 * rule, so that halves of two different stores match no key. */
#ifndef ASCRIBE_UNWIND_RULE_CACHE_H
#define ASCRIBE_UNWIND_RULE_CACHE_H

#include "unwind/rule.h"

struct unwind_cache_slot {
  uint64_t check; /* key ^ rule */
  uint64_t rule;
};

struct unwind_cache {
  struct unwind_cache_slot *slots; /* zeroed at first */
  uint64_t mask;                   /* number of slots - 1, a power of two - 1 */
};

#define UNWIND_CACHE_HASH 0x9e3779b97f4a7c15u /* 2^64 / golden ratio */

/* Rules of another generation are not found: objects may lie elsewhere by now. */
static inline uint64_t unwind_cache_key(uint64_t place, uint64_t generation) {
  return place + generation * UNWIND_CACHE_HASH;
}
static inline struct unwind_cache_slot *unwind_cache_slot(const struct unwind_cache *cache,
                                                          uint64_t key) {
  return &cache->slots[(key * UNWIND_CACHE_HASH >> 32) & cache->mask];
}

static inline bool unwind_cache_find(const struct unwind_cache *cache, uint64_t key,
                                     struct unwind_rule *rule) {
  struct unwind_cache_slot *slot = unwind_cache_slot(cache, key);
  uint64_t check = __atomic_load_n(&slot->check, __ATOMIC_RELAXED);
  union {
    uint64_t word;
    struct unwind_rule rule;
  } stored = {__atomic_load_n(&slot->rule, __ATOMIC_RELAXED)};
  *rule = stored.rule;
  return (check ^ stored.word) == key;
}

static inline void unwind_cache_keep(const struct unwind_cache *cache, uint64_t key,
                                     struct unwind_rule rule) {
  struct unwind_cache_slot *slot = unwind_cache_slot(cache, key);
  union {
    struct unwind_rule rule;
    uint64_t word;
  } stored = {rule};
  __atomic_store_n(&slot->check, key ^ stored.word, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->rule, stored.word, __ATOMIC_RELAXED);
}

#endif
