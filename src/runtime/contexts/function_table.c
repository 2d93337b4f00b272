#include "runtime/contexts/function_table.h"

#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

/* The index is open addressed by (address / 16): as sparse as the text itself, so that a small
 * program touches few of its pages. Keys of worlds may follow one another. */
#define INDEX_SLOTS_MOST (1u << 21)
#define INDEX_SLOTS_LEAST (1u << 14) /* in a small address space */
#define FUNCTIONS_OF(slots) ((slots) / 4 * 3)
#define PER_BLOCK                                                                                  \
  ((RECORDING_UNIT - sizeof(struct block_header)) / sizeof(struct recorded_function))
#define BLOCKS (FUNCTIONS_OF(INDEX_SLOTS_MOST) / PER_BLOCK + 1)

struct index_slot {
  uint64_t address;   /* 0: empty; 1: forgotten */
  uint32_t id_plus_1; /* 0: not yet numbered */
  uint32_t unused;
};

static struct {
  struct index_slot *index;
  uint32_t slots; /* of the index: a power of two */
  struct block_header *blocks[BLOCKS];
  uint32_t count; /* atomic; ids below `base` are an older process's */
  uint32_t base;
} table;

bool function_table_start(void) {
  table.slots = INDEX_SLOTS_MOST;
  while (table.slots > INDEX_SLOTS_LEAST &&
         table.slots * sizeof *table.index > storage_share_of_space())
    table.slots /= 2;
  table.index = system_memory(sizeof *table.index * table.slots);
  return table.index;
}

/* Only the entries that were used are cleared: writing the others would give the child a copy of
 * their pages. */
void function_table_start_child(void) {
  uint32_t used = (uint32_t)((table.count - table.base) / PER_BLOCK) + 1;
  table.base = table.count;
  storage_header()->function_base = table.base;
  for (uint32_t i = 0; i < BLOCKS && i < used; i++)
    table.blocks[i] = NULL;
}

/* The block that holds id `base + n * PER_BLOCK ...`; threads may race to make it. */
static struct block_header *block_of(uint32_t n) {
  struct block_header *block = __atomic_load_n(&table.blocks[n], __ATOMIC_ACQUIRE);
  if (block) return block;
  block = storage_claim(BLOCK_FUNCTIONS, PER_BLOCK * sizeof(struct recorded_function), 0);
  if (!block) return NULL;
  block->first = table.base + n * (uint32_t)PER_BLOCK;
  block->used = block->bytes;
  struct block_header *none = NULL;
  /* Release pairs with the acquire above: who sees the block sees `first`. */
  if (__atomic_compare_exchange_n(&table.blocks[n], &none, block, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return block;
  block->kind = BLOCK_SCRATCH;
  return none;
}

static uint32_t number_function(uint64_t address) {
  /* Looked at first: calls of a function that got no number must not make the count wrap. */
  if (__atomic_load_n(&table.count, __ATOMIC_RELAXED) - table.base >= FUNCTIONS_OF(table.slots))
    return FUNCTION_NONE;
  uint32_t id = __atomic_fetch_add(&table.count, 1, __ATOMIC_RELAXED);
  uint32_t base = __atomic_load_n(&table.base, __ATOMIC_RELAXED);
  struct block_header *block = id < base ? NULL : block_of((id - base) / PER_BLOCK);
  /* In a child of a handler that interrupted us the number is one of the parent's, who goes on to
   * say what it is. */
  if (id < __atomic_load_n(&table.base, __ATOMIC_RELAXED)) return id;
  if (!block) return FUNCTION_NONE;
  struct recorded_function *function = block_payload(block);
  function += (id - base) % PER_BLOCK;
  function->epoch = __atomic_load_n(&storage_header()->epoch, __ATOMIC_RELAXED);
  __atomic_store_n(&function->address, address, __ATOMIC_RELEASE);
  return id;
}

static uint32_t home_of(uint64_t address) {
  uint64_t apart = (address >> WORLD_SHIFT) * 0x9e3779b1u; /* worlds count from 1 on, all of them */
  return (uint32_t)(address & IN_WORLD ? address + apart : address >> 4) % table.slots;
}

uint32_t function_id(uint64_t address) {
  uint32_t k = home_of(address);
  for (uint32_t probes = 0; probes < table.slots; probes++, k = (k + 1) % table.slots) {
    struct index_slot *slot = &table.index[k];
    uint64_t seen = __atomic_load_n(&slot->address, __ATOMIC_ACQUIRE);
    if (seen == 0) {
      if (__atomic_load_n(&table.count, __ATOMIC_RELAXED) - table.base >= FUNCTIONS_OF(table.slots))
        break;
      if (__atomic_compare_exchange_n(&slot->address, &seen, address, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        seen = address;
    }
    if (seen != address) continue;
    uint32_t id_plus_1 = __atomic_load_n(&slot->id_plus_1, __ATOMIC_ACQUIRE);
    if (id_plus_1) return id_plus_1 - 1;
    uint32_t id = number_function(address);
    if (id == FUNCTION_NONE) break;
    /* Another thread or a signal handler may have numbered it meanwhile: the first one counts. */
    if (__atomic_compare_exchange_n(&slot->id_plus_1, &id_plus_1, id + 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return id;
    return id_plus_1 - 1;
  }
  return FUNCTION_NONE;
}

uint64_t function_address(uint32_t id) {
  uint32_t base = __atomic_load_n(&table.base, __ATOMIC_RELAXED), n = (id - base) / PER_BLOCK;
  if (id < base || n >= BLOCKS) return 0;
  const struct block_header *block = __atomic_load_n(&table.blocks[n], __ATOMIC_ACQUIRE);
  if (!block) return 0;
  const struct recorded_function *functions = block_payload((struct block_header *)block);
  return __atomic_load_n(&functions[(id - base) % PER_BLOCK].address, __ATOMIC_RELAXED);
}

void function_table_forget(uint64_t start, uint64_t end) {
  uint64_t span = (end >> 4) - (start >> 4) + 1;
  uint32_t k = (uint32_t)(start >> 4) % table.slots;
  for (uint64_t i = 0; i < table.slots; i++, k = (k + 1) % table.slots) {
    uint64_t address = __atomic_load_n(&table.index[k].address, __ATOMIC_RELAXED);
    if (address == 0 && i >= span) return; /* past the last one that probing may have put here */
    address &= ~RETURN_ADDRESS;
    if (address >= start && address < end)
      __atomic_store_n(&table.index[k].address, 1, __ATOMIC_RELEASE);
  }
}
