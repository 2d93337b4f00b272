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

/* Few slots are few pages: where `mask_most` says so, the table grows by fours as it fills. */
struct unwind_cache {
  struct unwind_cache_slot *slots; /* zeroed at first; room for the most there may be */
  uint64_t mask;                   /* atomic: number of slots - 1, a power of two - 1 */
  uint64_t mask_most;              /* as `mask` may be at last; 0: it stays as it is */
  uint64_t kept;                   /* atomic: rules so far */
};

#define UNWIND_CACHE_HASH 0x9e3779b97f4a7c15u /* 2^64 / golden ratio */

/* Rules of another generation are not found: objects may lie elsewhere by now. */
static inline uint64_t unwind_cache_key(uint64_t place, uint64_t generation) {
  return place + generation * UNWIND_CACHE_HASH;
}
static inline uint64_t unwind_cache_place(uint64_t key, uint64_t mask) {
  return (key * UNWIND_CACHE_HASH >> 32) & mask;
}
static inline struct unwind_cache_slot *unwind_cache_slot(const struct unwind_cache *cache,
                                                          uint64_t key) {
  uint64_t mask = __atomic_load_n(&cache->mask, __ATOMIC_RELAXED);
  return &cache->slots[unwind_cache_place(key, mask)];
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

static inline void unwind_cache_store(struct unwind_cache_slot *slot, uint64_t key, uint64_t rule) {
  __atomic_store_n(&slot->check, key ^ rule, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->rule, rule, __ATOMIC_RELAXED);
}

/* The rules stay where they are, too, so that whoever has read the old size finds them. Several
 * threads may do so at once. */
static inline void unwind_cache_grow(struct unwind_cache *cache, uint64_t mask) {
  uint64_t larger = mask * 4 + 3;
  for (uint64_t i = 0; i <= mask; i++) {
    uint64_t rule = __atomic_load_n(&cache->slots[i].rule, __ATOMIC_RELAXED);
    uint64_t key = __atomic_load_n(&cache->slots[i].check, __ATOMIC_RELAXED) ^ rule;
    uint64_t place = unwind_cache_place(key, larger);
    if (key && place != i) unwind_cache_store(&cache->slots[place], key, rule);
  }
  __atomic_store_n(&cache->mask, larger, __ATOMIC_RELAXED);
}

static inline void unwind_cache_keep(struct unwind_cache *cache, uint64_t key,
                                     struct unwind_rule rule) {
  uint64_t mask = __atomic_load_n(&cache->mask, __ATOMIC_RELAXED);
  uint64_t kept = __atomic_add_fetch(&cache->kept, 1, __ATOMIC_RELAXED);
  if (mask < cache->mask_most && kept > mask / 2) unwind_cache_grow(cache, mask);
  union {
    struct unwind_rule rule;
    uint64_t word;
  } stored = {rule};
  unwind_cache_store(unwind_cache_slot(cache, key), key, stored.word);
}

#endif
