#include "runtime/heap/block_names.h"

#include <stdbool.h>
#include <stddef.h>

#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#define PLACES HEAP_POOL_FIRST /* of names; and of pools */
#define NAMES_OF_BLOCK 63
#define HASH 0x9E3779B97F4A7C15ull

static struct {
  struct recorded_heap_name *index[HEAP_BOOKS][PLACES]; /* by hash; atomic */
  struct block_header *block;                           /* atomic: where new ones go */
} names;

void block_names_start_child(void) {
  for (uint32_t i = 0; i < HEAP_BOOKS * PLACES; i++)
    names.index[i / PLACES][i % PLACES] = NULL;
  names.block = NULL;
}

static bool is_continued(char byte) {
  return ((uint8_t)byte & 0xc0) == 0x80;
}

/* A name that is too long ends with a whole character, if it is UTF-8. */
static uint32_t name_bytes(const char *name) {
  enum { CONTINUED_MOST = 3 };
  uint32_t bytes = 0;
  while (bytes < HEAP_NAME_BYTES - 1 && name[bytes])
    bytes++;
  uint32_t cut = bytes, least = bytes - (bytes < CONTINUED_MOST ? bytes : CONTINUED_MOST);
  while (cut > least && is_continued(name[cut]))
    cut--;
  return is_continued(name[cut]) ? bytes : cut;
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
  struct recorded_heap_name *name = claim_name();
  for (uint32_t i = 0; name && i < bytes; i++)
    name->text[i] = text[i];
  return name;
}

/* Its number is its place; 0 is none. Where two threads give one name at once, the record of the
 * second is given up. */
uint32_t block_names_number(const char *name, enum heap_area area) {
  uint32_t bytes = name_bytes(name), first = area == HEAP_OF_POOLS ? HEAP_POOL_FIRST : 0;
  uint64_t hash = bytes;
  for (uint32_t i = 0; i < bytes; i++)
    hash = (hash ^ (uint8_t)name[i]) * HASH;
  struct recorded_heap_name *own = NULL;
  for (uint32_t k = (hash >> 32) % PLACES, probes = 0; probes < PLACES;
       k = (k + 1) % PLACES, probes++) {
    if (first + k == 0) continue;
    struct recorded_heap_name **place = &names.index[area][k],
                              *known = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (!known) {
      if (!own && !(own = write_name(name, bytes))) return 0;
      __atomic_store_n(&own->number, first + k, __ATOMIC_RELEASE);
      if (__atomic_compare_exchange_n(place, &known, own, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        return first + k;
      __atomic_store_n(&own->number, 0, __ATOMIC_RELEASE);
    }
    if (is_name(known, name, bytes)) return first + k;
  }
  return 0;
}
