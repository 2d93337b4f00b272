#include "runtime/heap/live_blocks.h"

#include "runtime/registry/system.h"

#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>

#define HEAP_SHIFT 5 /* of a granule; glibc: blocks begin at least 32 bytes apart */
#define POOL_SHIFT 3
#define LEAF_WORDS_SHIFT 17 /* a leaf is of so many granules */
#define LEAF_WORDS (1u << LEAF_WORDS_SHIFT)
#define BRANCH_SHIFT 36
#define ADDRESS_SHIFT 47
#define BRANCHES (1u << (ADDRESS_SHIFT - BRANCH_SHIFT))

/* A word of the shadow: cell << 32 | which eighth of the granule << 29 | rounded up << 28 | bytes.
 */
#define EIGHTH_SHIFT 29
#define ROUNDED_UP (1ull << 28)
#define SIZE_END ROUNDED_UP

/* The table beside it. */
#define ODD_SLOTS (1u << 16)
#define ODD_REACH 16u /* slots that are looked at for a block */
#define ODD_CLAIMED 1ull

struct odd_block {
  uint64_t address; /* atomic; 0: free */
  struct live_block block;
};

/* Its words come in 64 chunks.  Those of a pool that have had a block since it was emptied are
 * marked, after the block was put there. */
#define CHUNK_WORDS (LEAF_WORDS / 64)
struct leaf {
  struct leaf *before; /* the one that was made before */
  uint64_t used;       /* atomic: of a pool, a bit for each chunk */
  uint64_t words[LEAF_WORDS];
};

struct live_blocks {
  struct leaf **branches[BRANCHES]; /* atomic, as what they lead to is */
  struct leaf *last;                /* atomic: of all of them, made last */
  struct odd_block *odd;
  uint32_t odd_count; /* atomic */
  uint32_t shift;     /* of a granule; constant */
};

static bool begin(struct live_blocks *blocks, uint32_t shift) {
  blocks->shift = shift;
  if (!blocks->odd) blocks->odd = system_memory((ODD_SLOTS + ODD_REACH) * sizeof *blocks->odd);
  return blocks->odd;
}

struct live_blocks *live_blocks_start(void) {
  static struct live_blocks heap;
  return begin(&heap, HEAP_SHIFT) ? &heap : NULL;
}

/* Several threads may make one at a time: the first one's stays, and is *known to the others. */
static bool installed(void **place, void *memory, uint64_t bytes, void **known) {
  *known = NULL;
  /* Release pairs with the acquire of who finds it. */
  if (__atomic_compare_exchange_n(place, known, memory, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return true;
  system_call3(SYS_munmap, (long)memory, (long)bytes, 0);
  return false;
}

static void *made(void **place, uint64_t bytes) {
  void *memory = system_memory(bytes), *known;
  if (!memory) return NULL;
  return installed(place, memory, bytes, &known) ? memory : known;
}

struct live_blocks *live_blocks_of_pool(struct live_blocks **place) {
  struct live_blocks *known = __atomic_load_n(place, __ATOMIC_ACQUIRE), *blocks;
  if (__builtin_expect(known != NULL, 1)) return known;
  blocks = system_memory(sizeof *blocks);
  if (!blocks || !begin(blocks, POOL_SHIFT)) return NULL;
  /* Release pairs with the acquire above. */
  if (__atomic_compare_exchange_n(place, &known, blocks, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return blocks;
  system_call3(SYS_munmap, (long)blocks->odd, (long)((ODD_SLOTS + ODD_REACH) * sizeof *blocks->odd),
               0);
  system_call3(SYS_munmap, (long)blocks, sizeof *blocks, 0);
  return known;
}

static inline uint64_t branch_leaves(uint32_t shift) {
  return 1ull << (BRANCH_SHIFT - LEAF_WORDS_SHIFT - shift);
}

static __attribute__((noinline)) struct leaf *make_leaf(struct live_blocks *blocks,
                                                        struct leaf **place) {
  struct leaf *leaf = system_memory(sizeof *leaf), *before = NULL;
  if (!leaf) return NULL;
  leaf->before = __atomic_load_n(&blocks->last, __ATOMIC_RELAXED);
  if (!installed((void **)place, leaf, sizeof *leaf, (void **)&before)) return before;
  while (!__atomic_compare_exchange_n(&blocks->last, &leaf->before, leaf, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    ;
  return leaf;
}

static inline struct leaf *leaf_of(struct live_blocks *blocks, uint64_t address, bool make,
                                   uint32_t shift) {
  struct leaf ***branch = &blocks->branches[address >> BRANCH_SHIFT];
  struct leaf **leaves = __atomic_load_n(branch, __ATOMIC_ACQUIRE);
  if (__builtin_expect(!leaves, 0)) {
    leaves = make ? made((void **)branch, branch_leaves(shift) * sizeof *leaves) : NULL;
    if (!leaves) return NULL;
  }
  uint64_t place = address >> shift >> LEAF_WORDS_SHIFT & (branch_leaves(shift) - 1);
  struct leaf *leaf = __atomic_load_n(&leaves[place], __ATOMIC_ACQUIRE);
  return __builtin_expect(!leaf, 0) && make ? make_leaf(blocks, &leaves[place]) : leaf;
}

static inline uint64_t *shadow_of(struct live_blocks *blocks, uint64_t address, bool make,
                                  uint32_t shift) {
  struct leaf *leaf = leaf_of(blocks, address, make, shift);
  return __builtin_expect(leaf != NULL, 1) ? &leaf->words[address >> shift & (LEAF_WORDS - 1)]
                                           : NULL;
}

/* Of a pool: there is a block now. */
static void mark(struct live_blocks *blocks, uint64_t address) {
  struct leaf *leaf = leaf_of(blocks, address, false, POOL_SHIFT);
  uint64_t chunk = 1ull << (address >> POOL_SHIFT & (LEAF_WORDS - 1)) / CHUNK_WORDS;
  if (!(__atomic_load_n(&leaf->used, __ATOMIC_RELAXED) & chunk))
    __atomic_fetch_or(&leaf->used, chunk, __ATOMIC_RELAXED);
}

static inline bool is_heap(const struct live_blocks *blocks) {
  return __builtin_expect(blocks->shift == HEAP_SHIFT, 1);
}

/* Null: nothing was ever put there, or, with `make`, there is no memory for it. */
static inline uint64_t *shadow(struct live_blocks *blocks, uint64_t address, bool make) {
  if (__builtin_expect(address >> ADDRESS_SHIFT, 0)) return NULL;
  return is_heap(blocks) ? shadow_of(blocks, address, make, HEAP_SHIFT)
                         : shadow_of(blocks, address, make, POOL_SHIFT);
}

static inline uint64_t eighth(const struct live_blocks *blocks, uint64_t address) {
  return address >> (is_heap(blocks) ? HEAP_SHIFT - 3 : POOL_SHIFT - 3) & 7;
}

static struct live_block unpacked(uint64_t word) {
  return (struct live_block){(uint32_t)(word >> 32), word & ROUNDED_UP, word & (SIZE_END - 1)};
}

static bool is_of(const struct live_blocks *blocks, uint64_t word, uint64_t address) {
  return word && (word >> EIGHTH_SHIFT & 7) == eighth(blocks, address);
}

/* ---- the table ---- */

static struct odd_block *odd_home(const struct live_blocks *blocks, uint64_t address) {
  return &blocks->odd[(address >> (blocks->shift - 3)) * 0x9e3779b97f4a7c15u >> 48];
}
static_assert(ODD_SLOTS == 1u << (64 - 48), "odd_home gives any slot");

static bool odd_put(struct live_blocks *blocks, uint64_t address, struct live_block block) {
  struct odd_block *slot = odd_home(blocks, address), *end = slot + ODD_REACH;
  for (; slot < end; slot++) {
    uint64_t free = 0;
    if (__atomic_load_n(&slot->address, __ATOMIC_RELAXED) ||
        !__atomic_compare_exchange_n(&slot->address, &free, ODD_CLAIMED, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    slot->block = block;
    __atomic_store_n(&slot->address, address, __ATOMIC_RELEASE);
    __atomic_fetch_add(&blocks->odd_count, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

/* Null: it is not there. */
static struct odd_block *odd_find(struct live_blocks *blocks, uint64_t address) {
  if (!__atomic_load_n(&blocks->odd_count, __ATOMIC_RELAXED)) return NULL;
  struct odd_block *slot = odd_home(blocks, address), *end = slot + ODD_REACH;
  for (; slot < end; slot++)
    if (__atomic_load_n(&slot->address, __ATOMIC_ACQUIRE) == address) return slot;
  return NULL;
}

static struct live_block odd_take(struct live_blocks *blocks, uint64_t address) {
  struct odd_block *slot = odd_find(blocks, address);
  if (!slot) return (struct live_block){0};
  if (!__atomic_compare_exchange_n(&slot->address, &address, ODD_CLAIMED, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return (struct live_block){0};
  struct live_block block = slot->block;
  __atomic_fetch_sub(&blocks->odd_count, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->address, 0, __ATOMIC_RELEASE);
  return block;
}

/* ---- both ---- */

struct live_block live_blocks_find(struct live_blocks *blocks, uint64_t address) {
  const uint64_t *word = shadow(blocks, address, false);
  uint64_t value = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
  if (is_of(blocks, value, address)) return unpacked(value);
  const struct odd_block *slot = odd_find(blocks, address);
  return slot ? slot->block : (struct live_block){0};
}

bool live_blocks_move(struct live_blocks *blocks, uint64_t address, uint32_t cell) {
  uint64_t *word = shadow(blocks, address, false);
  uint64_t value = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
  if (is_of(blocks, value, address)) {
    __atomic_store_n(word, (uint64_t)cell << 32 | (uint32_t)value, __ATOMIC_RELAXED);
    return true;
  }
  struct odd_block *slot = odd_find(blocks, address);
  if (slot) slot->block.cell = cell;
  return slot;
}

struct live_block live_blocks_take(struct live_blocks *blocks, uint64_t address) {
  uint64_t *word = shadow(blocks, address, false), value = word ? *word : 0;
  if (__builtin_expect(!is_of(blocks, value, address), 0)) return odd_take(blocks, address);
  /* Relaxed: the block is the caller's until it is freed, and with it this word's value; but
   * another thread may empty a pool. */
  if (is_heap(blocks))
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
  else if (!__atomic_compare_exchange_n(word, &value, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return (struct live_block){0};
  return unpacked(value);
}

/* Another thread may put a block of the same granule at the same time. */
static inline bool fill(struct live_blocks *blocks, uint64_t *word, uint64_t address,
                        struct live_block block) {
  uint64_t empty = 0;
  uint64_t packed = (uint64_t)block.cell << 32 | eighth(blocks, address) << EIGHTH_SHIFT |
                    (block.rounded_up ? ROUNDED_UP : 0) | block.bytes;
  return __atomic_compare_exchange_n(word, &empty, packed, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

/* Where no memory is shadowed yet, or there was a block before, or one that does not fit. */
static __attribute__((noinline)) bool put_slowly(struct live_blocks *blocks, uint64_t address,
                                                 struct live_block block,
                                                 struct live_block *before) {
  uint64_t *word = shadow(blocks, address, true);
  if (__atomic_load_n(&blocks->odd_count, __ATOMIC_RELAXED)) *before = odd_take(blocks, address);
  if (!word) return odd_put(blocks, address, block);
  uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
  if (is_of(blocks, value, address)) {
    *before = unpacked(value);
    __atomic_store_n(word, value = 0, __ATOMIC_RELAXED);
  }
  if (value || block.bytes >= SIZE_END || !fill(blocks, word, address, block))
    return odd_put(blocks, address, block);
  if (!is_heap(blocks)) mark(blocks, address);
  return true;
}

bool live_blocks_put(struct live_blocks *blocks, uint64_t address, struct live_block block,
                     struct live_block *before) {
  uint64_t *word = shadow(blocks, address, false);
  *before = (struct live_block){0};
  bool is_plain = is_heap(blocks) && word && block.bytes < SIZE_END &&
                  !__atomic_load_n(&blocks->odd_count, __ATOMIC_RELAXED) &&
                  !__atomic_load_n(word, __ATOMIC_RELAXED);
  if (__builtin_expect(is_plain && fill(blocks, word, address, block), 1)) return true;
  return put_slowly(blocks, address, block, before);
}

static void empty_chunk(uint64_t *words, void (*taken)(void *context, struct live_block block),
                        void *context) {
  for (uint32_t i = 0; i < CHUNK_WORDS; i++) {
    if (!__atomic_load_n(&words[i], __ATOMIC_RELAXED)) continue;
    uint64_t word = __atomic_exchange_n(&words[i], 0, __ATOMIC_RELAXED);
    if (word) taken(context, unpacked(word));
  }
}

void live_blocks_empty(struct live_blocks *blocks,
                       void (*taken)(void *context, struct live_block block), void *context) {
  struct leaf *leaf = __atomic_load_n(&blocks->last, __ATOMIC_ACQUIRE);
  for (; leaf; leaf = leaf->before) {
    if (!__atomic_load_n(&leaf->used, __ATOMIC_RELAXED)) continue;
    uint64_t used = __atomic_exchange_n(&leaf->used, 0, __ATOMIC_RELAXED);
    for (; used; used &= used - 1)
      empty_chunk(&leaf->words[(uint32_t)__builtin_ctzll(used) * CHUNK_WORDS], taken, context);
  }
  for (uint32_t i = 0;
       i < ODD_SLOTS + ODD_REACH && __atomic_load_n(&blocks->odd_count, __ATOMIC_RELAXED); i++) {
    uint64_t address = __atomic_load_n(&blocks->odd[i].address, __ATOMIC_ACQUIRE);
    struct live_block block =
        address > ODD_CLAIMED ? odd_take(blocks, address) : (struct live_block){0};
    if (block.cell) taken(context, block);
  }
}
