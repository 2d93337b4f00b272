#include "runtime/heap/live_blocks.h"

#include "runtime/registry/system.h"

#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>

#define GRANULE_SHIFT 5 /* glibc: blocks begin at least 32 bytes apart */
#define LEAF_SHIFT 22   /* a leaf is of so much of the heap, and has a quarter of its size */
#define BRANCH_SHIFT 36
#define ADDRESS_SHIFT 47
#define LEAF_WORDS (1u << (LEAF_SHIFT - GRANULE_SHIFT))
#define BRANCH_LEAVES (1u << (BRANCH_SHIFT - LEAF_SHIFT))
#define BRANCHES (1u << (ADDRESS_SHIFT - BRANCH_SHIFT))

/* A word of the shadow: cell << 32 | which eighth byte of the granule << 30 | rounded up << 29 |
 * bytes. */
#define EIGHTH_SHIFT 30
#define ROUNDED_UP (1ull << 29)
#define SIZE_END ROUNDED_UP
#define EIGHTH(address) ((address) >> 3 & 3)

/* The table beside it. */
#define ODD_SLOTS (1u << 16)
#define ODD_REACH 16u /* slots that are looked at for a block */
#define ODD_CLAIMED 1ull

struct odd_block {
  uint64_t address; /* atomic; 0: free */
  struct live_block block;
};

static struct {
  uint64_t **branches[BRANCHES]; /* atomic, as what they lead to is */
  struct odd_block *odd;
  uint32_t odd_count; /* atomic */
} blocks;

bool live_blocks_start(void) {
  if (!blocks.odd) blocks.odd = system_memory((ODD_SLOTS + ODD_REACH) * sizeof *blocks.odd);
  return blocks.odd;
}

/* Several threads may make one at a time: the first one's stays. */
static void *made(void **place, uint64_t bytes) {
  void *memory = system_memory(bytes), *before = NULL;
  if (!memory) return NULL;
  /* Release pairs with the acquire of who finds it. */
  if (__atomic_compare_exchange_n(place, &before, memory, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return memory;
  system_call3(SYS_munmap, (long)memory, (long)bytes, 0);
  return before;
}

/* Null: nothing was ever put there, or, with `make`, there is no memory for it. */
static inline uint64_t *shadow(uint64_t address, bool make) {
  if (__builtin_expect(address >> ADDRESS_SHIFT, 0)) return NULL;
  uint64_t ***branch = &blocks.branches[address >> BRANCH_SHIFT];
  uint64_t **leaves = __atomic_load_n(branch, __ATOMIC_ACQUIRE);
  if (__builtin_expect(!leaves, 0)) {
    leaves = make ? made((void **)branch, BRANCH_LEAVES * sizeof *leaves) : NULL;
    if (!leaves) return NULL;
  }
  uint64_t **leaf = &leaves[address >> LEAF_SHIFT & (BRANCH_LEAVES - 1)];
  uint64_t *words = __atomic_load_n(leaf, __ATOMIC_ACQUIRE);
  if (__builtin_expect(!words, 0)) {
    words = make ? made((void **)leaf, LEAF_WORDS * sizeof *words) : NULL;
    if (!words) return NULL;
  }
  return &words[address >> GRANULE_SHIFT & (LEAF_WORDS - 1)];
}

static struct live_block unpacked(uint64_t word) {
  return (struct live_block){(uint32_t)(word >> 32), word & ROUNDED_UP, word & (SIZE_END - 1)};
}

static bool is_of(uint64_t word, uint64_t address) {
  return word && (word >> EIGHTH_SHIFT & 3) == EIGHTH(address);
}

/* ---- the table ---- */

static struct odd_block *odd_home(uint64_t address) {
  return &blocks.odd[(address >> 3) * 0x9e3779b97f4a7c15u >> 48];
}
static_assert(ODD_SLOTS == 1u << (64 - 48), "odd_home gives any slot");

static bool odd_put(uint64_t address, struct live_block block) {
  struct odd_block *slot = odd_home(address), *end = slot + ODD_REACH;
  for (; slot < end; slot++) {
    uint64_t free = 0;
    if (__atomic_load_n(&slot->address, __ATOMIC_RELAXED) ||
        !__atomic_compare_exchange_n(&slot->address, &free, ODD_CLAIMED, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    slot->block = block;
    __atomic_store_n(&slot->address, address, __ATOMIC_RELEASE);
    __atomic_fetch_add(&blocks.odd_count, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

/* Null: it is not there. */
static struct odd_block *odd_find(uint64_t address) {
  if (!__atomic_load_n(&blocks.odd_count, __ATOMIC_RELAXED)) return NULL;
  struct odd_block *slot = odd_home(address), *end = slot + ODD_REACH;
  for (; slot < end; slot++)
    if (__atomic_load_n(&slot->address, __ATOMIC_ACQUIRE) == address) return slot;
  return NULL;
}

static struct live_block odd_take(uint64_t address) {
  struct odd_block *slot = odd_find(address);
  if (!slot) return (struct live_block){0};
  struct live_block block = slot->block;
  __atomic_fetch_sub(&blocks.odd_count, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->address, 0, __ATOMIC_RELEASE);
  return block;
}

/* ---- both ---- */

struct live_block live_blocks_find(uint64_t address) {
  const uint64_t *word = shadow(address, false);
  uint64_t value = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
  if (is_of(value, address)) return unpacked(value);
  const struct odd_block *slot = odd_find(address);
  return slot ? slot->block : (struct live_block){0};
}

bool live_blocks_move(uint64_t address, uint32_t cell) {
  uint64_t *word = shadow(address, false);
  uint64_t value = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
  if (is_of(value, address)) {
    __atomic_store_n(word, (uint64_t)cell << 32 | (uint32_t)value, __ATOMIC_RELAXED);
    return true;
  }
  struct odd_block *slot = odd_find(address);
  if (slot) slot->block.cell = cell;
  return slot;
}

struct live_block live_blocks_take(uint64_t address) {
  uint64_t *word = shadow(address, false), value = word ? *word : 0;
  if (__builtin_expect(!is_of(value, address), 0)) return odd_take(address);
  /* Relaxed: the block is the caller's until it is freed, and with it this word's value. */
  __atomic_store_n(word, 0, __ATOMIC_RELAXED);
  return unpacked(value);
}

bool live_blocks_put(uint64_t address, struct live_block block, struct live_block *before) {
  uint64_t *word = shadow(address, true);
  *before = (struct live_block){0};
  if (__builtin_expect(__atomic_load_n(&blocks.odd_count, __ATOMIC_RELAXED), 0))
    *before = odd_take(address);
  if (!word) return odd_put(address, block);
  uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
  if (__builtin_expect(is_of(value, address), 0)) {
    *before = unpacked(value);
    __atomic_store_n(word, value = 0, __ATOMIC_RELAXED);
  }
  if (__builtin_expect(value || block.bytes >= SIZE_END, 0)) return odd_put(address, block);
  __atomic_store_n(word,
                   (uint64_t)block.cell << 32 | EIGHTH(address) << EIGHTH_SHIFT |
                       (block.rounded_up ? ROUNDED_UP : 0) | block.bytes,
                   __ATOMIC_RELAXED);
  return true;
}
