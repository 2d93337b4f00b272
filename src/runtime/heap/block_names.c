#include "runtime/heap/block_names.h"

#include <stdbool.h>
#include <stddef.h>

#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#define SLOTS (2 * HEAP_NAMES_MOST)
#define NAMES_OF_BLOCK 63
#define HASH 0x9E3779B97F4A7C15ull

static struct {
  struct recorded_heap_name *index[SLOTS]; /* by hash; atomic */
  struct block_header *block;              /* atomic: where new ones go */
  uint32_t count;                          /* atomic: numbers that were given */
} names;

void block_names_start_child(void) {
  for (uint32_t i = 0; i < SLOTS; i++)
    names.index[i] = NULL;
  names.block = NULL;
  names.count = 0;
}

static uint32_t name_bytes(const char *name) {
  uint32_t bytes = 0;
  while (bytes < HEAP_NAME_BYTES - 1 && name[bytes])
    bytes++;
  return bytes;
}

static bool is_name(const struct recorded_heap_name *known, const char *name, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i++)
    if (known->text[i] != name[i]) return false;
  return !known->text[bytes];
}

static struct recorded_heap_name *claim_name(void) {
  struct block_header *block = __atomic_load_n(&names.block, __ATOMIC_ACQUIRE);
  for (int tries = 0; tries < 3; tries++) {
    struct recorded_heap_name *name = block ? storage_claim_record(block, sizeof *name) : NULL;
    if (name) return name;
    struct block_header *larger = storage_claim(BLOCK_HEAP_NAMES, NAMES_OF_BLOCK * sizeof *name, 0);
    if (!larger) return NULL;
    if (__atomic_compare_exchange_n(&names.block, &block, larger, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      block = larger;
  }
  return NULL;
}

static struct recorded_heap_name *write_name(const char *text, uint32_t bytes) {
  if (__atomic_load_n(&names.count, __ATOMIC_RELAXED) + 1 >= HEAP_NAMES_MOST) return NULL;
  struct recorded_heap_name *name = claim_name();
  if (!name) return NULL;
  uint32_t number = __atomic_add_fetch(&names.count, 1, __ATOMIC_RELAXED);
  if (number >= HEAP_NAMES_MOST) return NULL;
  for (uint32_t i = 0; i < bytes; i++)
    name->text[i] = text[i];
  __atomic_store_n(&name->number, number, __ATOMIC_RELEASE);
  return name;
}

/* Where two threads give one name at once, the number of the second is given up. */
uint32_t block_names_number(const char *name) {
  uint32_t bytes = name_bytes(name);
  uint64_t hash = bytes;
  for (uint32_t i = 0; i < bytes; i++)
    hash = (hash ^ (uint8_t)name[i]) * HASH;
  struct recorded_heap_name *own = NULL;
  for (uint32_t k = hash >> 32 & (SLOTS - 1), probes = 0; probes < SLOTS;
       k = (k + 1) & (SLOTS - 1), probes++) {
    struct recorded_heap_name *known = __atomic_load_n(&names.index[k], __ATOMIC_ACQUIRE);
    if (!known) {
      if (!own && !(own = write_name(name, bytes))) return 0;
      if (__atomic_compare_exchange_n(&names.index[k], &known, own, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        return own->number;
    }
    if (is_name(known, name, bytes)) return known->number;
  }
  return 0;
}
