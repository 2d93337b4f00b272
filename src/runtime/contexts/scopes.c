#include "runtime/contexts/scopes.h"

#include <stddef.h>
#include <time.h>

#include "base/name_pattern.h"
#include "runtime/contexts/entry_series.h"
#include "runtime/contexts/machine.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#define SLOTS (1u << 14)
#define CENTRES_MOST (SLOTS / 4 * 3)
#define TEXT_MOST 1000 /* of a label, a module's or a file's name */
#define BLOCK_BYTES 4000
#define HASH 0x9E3779B97F4A7C15ull

#define AT(member, slot_member)                                                                    \
  (offsetof(struct ascribe_scope_slot, member) == offsetof(struct ascribe_slot, slot_member))
static_assert(AT(from, from) && AT(to, to) && AT(key, callee) && AT(site, site) &&
                  AT(count, count) &&
                  sizeof(struct ascribe_scope_slot) == sizeof(struct ascribe_slot) &&
                  ASCRIBE_HASH_CONTEXT == 8,
              "scopes count in the table of transitions");

static struct {
  struct recorded_definition **index; /* by hash; a centre's key is its place there, from 1 */
  uint32_t count;                     /* atomic */
  struct block_header *block;         /* atomic: where new definitions go */
  uint32_t check;
  char chosen[TEXT_MOST]; /* patterns of built-in centres; "": all */
} centres;

/* Kept as a copy: programs write over the environment that they began with. */
bool scopes_start(const char *chosen) {
  for (uint32_t i = 0; chosen && i < TEXT_MOST - 1 && chosen[i]; i++)
    centres.chosen[i] = chosen[i];
  centres.index = system_memory(SLOTS * sizeof *centres.index);
  uint64_t seed = ((uint64_t)centres.index ^ system_clock(CLOCK_MONOTONIC)) * HASH;
  centres.check = (uint32_t)(seed >> 32) | 1;
  return centres.index;
}

void scopes_start_child(void) {
  centres.block = NULL;
}

uint32_t scopes_check(void) {
  return centres.check;
}

/* ---- definitions ---- */

static uint32_t text_bytes(const char *text) {
  uint32_t bytes = 0;
  while (bytes < TEXT_MOST && text[bytes])
    bytes++;
  return bytes;
}

static char *put_text(char *to, const char *text) {
  uint32_t bytes = text_bytes(text);
  for (uint32_t i = 0; i < bytes; i++)
    to[i] = text[i];
  return to + bytes + 1; /* the record was all zeros */
}

static struct block_header *new_block(struct block_header *full) {
  struct block_header *block = storage_claim(BLOCK_WORLD, BLOCK_BYTES, 0);
  if (!block) return NULL;
  block->first = CENTRE_WORLD;
  if (__atomic_compare_exchange_n(&centres.block, &full, block, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return block;
  block->kind = BLOCK_SCRATCH;
  return full;
}

static struct recorded_definition *claim_definition(uint64_t bytes) {
  struct block_header *block = __atomic_load_n(&centres.block, __ATOMIC_ACQUIRE);
  for (int tries = 0; tries < 3; tries++) {
    struct recorded_definition *record = block ? storage_claim_record(block, bytes) : NULL;
    if (record) return record;
    block = new_block(block);
    if (!block) return NULL;
  }
  return NULL;
}

/* Without its key; readers pass over it until it has its kind. */
static struct recorded_definition *write_definition(const struct ascribe_centre *scope) {
  uint64_t bytes = sizeof(struct recorded_definition) + text_bytes(scope->label) +
                   text_bytes(scope->module) + text_bytes(scope->file) + 3;
  bytes = (bytes + CONTEXT_UNIT - 1) / CONTEXT_UNIT * CONTEXT_UNIT;
  struct recorded_definition *record = claim_definition(bytes);
  if (!record) return NULL;
  record->line = scope->line;
  put_text(put_text(put_text(record->text, scope->label), scope->module), scope->file);
  return record;
}

/* ---- keys ---- */

static uint64_t hash_text(uint64_t hash, const char *text) {
  uint32_t bytes = text_bytes(text);
  for (uint32_t i = 0; i < bytes; i++)
    hash = (hash ^ (uint8_t)text[i]) * HASH;
  return (hash ^ bytes) * HASH;
}

/* Whether `known` is the text; what follows it. */
static const char *match_text(const char *known, const char *text) {
  uint32_t bytes = text_bytes(text);
  for (uint32_t i = 0; i < bytes; i++)
    if (known[i] != text[i]) return NULL;
  return known[bytes] ? NULL : known + bytes + 1;
}

static bool defines(const struct recorded_definition *known, const struct ascribe_centre *scope) {
  const char *module = match_text(known->text, scope->label);
  return module && match_text(module, scope->module);
}

/* The place of the scope's centre in the index, from 1; 0: there is no room.  Where two threads
 * make one centre at once, the definition of the second is given up. */
static uint32_t find_place(const struct ascribe_centre *scope) {
  uint32_t k = (uint32_t)(hash_text(hash_text(1, scope->label), scope->module) >> 40) % SLOTS;
  struct recorded_definition *own = NULL;
  for (uint32_t probes = 0; probes < SLOTS; k = (k + 1) % SLOTS, probes++) {
    struct recorded_definition *known = __atomic_load_n(&centres.index[k], __ATOMIC_ACQUIRE);
    if (!known) {
      if (__atomic_load_n(&centres.count, __ATOMIC_RELAXED) >= CENTRES_MOST) return 0;
      if (!own && !(own = write_definition(scope))) return 0;
      own->key = k + 1;
      if (__atomic_compare_exchange_n(&centres.index[k], &known, own, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
        __atomic_fetch_add(&centres.count, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&own->kind, DEFINED_CENTRE, __ATOMIC_RELEASE);
        return k + 1;
      }
    }
    if (defines(known, scope)) return k + 1;
  }
  return 0;
}

static bool is_chosen(const struct ascribe_centre *scope) {
  const char *pattern = centres.chosen;
  if (!scope->built_in || !*pattern) return true;
  for (; pattern; pattern = name_pattern_next(pattern))
    if (name_fits(pattern, scope->label)) return true;
  return false;
}

static bool give_key(struct ascribe_centre *scope) {
  uint32_t place = find_place(scope);
  if (!place) return false;
  uint64_t key = CENTRE_ADDRESS(place);
  __atomic_store_n(&scope->hash, ASCRIBE_HASH(0, key, 0), __ATOMIC_RELAXED);
  __atomic_store_n(&scope->key, key, __ATOMIC_RELEASE);
  return true;
}

/* In C a `case` behind a scope jumps over its beginning, but not over its end, which then restores
 * anything: that is in no centre. */
uint32_t scopes_enter(struct thread_state *thread, struct ascribe_centre *scope, uint32_t from) {
  if (from && !storage_may_be_context(from)) from = 0;
  bool known = __atomic_load_n(&scope->key, __ATOMIC_ACQUIRE) != ASCRIBE_CENTRE_NEW;
  if (!known && !is_chosen(scope)) {
    __atomic_store_n(&scope->built_in, ASCRIBE_CENTRE_LEFT_OUT, __ATOMIC_RELAXED);
    return from;
  }
  if (!known && !give_key(scope)) return machine_lost(thread, DROP_FUNCTIONS);
  uint32_t entered = machine_known(thread, from, scope->key, 0);
  if (entered) return entered;
  entered = machine_enter(thread, from, scope->key);
  entry_series_add(thread, from, scope->key);
  return entered;
}
