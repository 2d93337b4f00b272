#include "base/hash_index.h"

#include "check.h"

enum { KEYS = 50000 };

static int equal(const void *array, uint32_t index, const void *key) {
  return ((const uint64_t *)array)[index] == *(const uint64_t *)key;
}

/* `spread` 0 gives every key the same hash. */
static void finds_each_key(uint64_t spread, uint32_t count) {
  static uint64_t keys[KEYS];
  struct hash_index map = {0};
  uint64_t absent = 1; /* no key */
  CHECK_EQUAL(hash_index_find(&map, 1, equal, keys, &absent), HASH_INDEX_NONE);
  for (uint32_t i = 0; i < count; i++) {
    keys[i] = 1000 + i * 4096ull;
    hash_index_add(&map, hash_mix(keys[i] * spread), i);
  }
  for (uint32_t i = 0; i < count; i++)
    CHECK_EQUAL(hash_index_find(&map, hash_mix(keys[i] * spread), equal, keys, &keys[i]), i);
  CHECK_EQUAL(hash_index_find(&map, hash_mix(absent * spread), equal, keys, &absent),
              HASH_INDEX_NONE);
  hash_index_free(&map);
  CHECK_EQUAL(hash_index_find(&map, 1, equal, keys, &absent), HASH_INDEX_NONE);
}

int main(void) {
  finds_each_key(1, KEYS);
  finds_each_key(0, 1000);
  CHECK(hash_text("a") != hash_text("b"));
  CHECK_EQUAL(hash_text("same"), hash_text("same"));
  return check_result();
}
