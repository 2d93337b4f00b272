#include "runtime/contexts/scopes.h"

#include <stddef.h>
#include <time.h>

#include "base/name_pattern.h"
#include "runtime/contexts/definitions.h"
#include "runtime/contexts/entry_series.h"
#include "runtime/contexts/machine.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#define SLOTS (1u << 14)
#define CENTRES_MOST (SLOTS / 4 * 3)
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
  struct definitions definitions;
  uint32_t check;
  char chosen[DEFINITION_TEXT_MOST]; /* patterns of built-in centres; "": all */
} centres = {.definitions = {.world = CENTRE_WORLD}};

/* Kept as a copy: programs write over the environment that they began with. */
bool scopes_start(const char *chosen) {
  for (uint32_t i = 0; chosen && i < DEFINITION_TEXT_MOST - 1 && chosen[i]; i++)
    centres.chosen[i] = chosen[i];
  centres.index = system_memory(SLOTS * sizeof *centres.index);
  uint64_t seed = ((uint64_t)centres.index ^ system_clock(CLOCK_MONOTONIC)) * HASH;
  centres.check = (uint32_t)(seed >> 32) | 1;
  return centres.index;
}

void scopes_start_child(void) {
  centres.definitions.block = NULL;
}

uint32_t scopes_check(void) {
  return centres.check;
}

/* Without its key and kind. */
static struct recorded_definition *write_definition(const struct ascribe_centre *scope) {
  const char *texts[] = {scope->label, scope->module, scope->file};
  struct recorded_definition *record = definition_write(&centres.definitions, texts, 3);
  if (record) record->line = scope->line;
  return record;
}

/* ---- keys ---- */

static uint64_t hash_text(uint64_t hash, const char *text) {
  uint32_t bytes = definition_text_bytes(text);
  for (uint32_t i = 0; i < bytes; i++)
    hash = (hash ^ (uint8_t)text[i]) * HASH;
  return (hash ^ bytes) * HASH;
}

/* Whether `known` is the text; what follows it. */
static const char *match_text(const char *known, const char *text) {
  uint32_t bytes = definition_text_bytes(text);
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

static uint32_t enter_key(struct thread_state *thread, uint64_t key, uint32_t from) {
  uint32_t entered = machine_known(thread, from, key, 0);
  if (entered) return entered;
  entered = machine_enter(thread, from, key, 0);
  entry_series_add(thread, from, key);
  return entered;
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
  return enter_key(thread, scope->key, from);
}

/* ---- of language hosts ---- */

uint64_t scopes_define(const char *label, const char *module, const char *path, uint32_t line) {
  struct ascribe_centre scope = {
      .key = ASCRIBE_CENTRE_NEW, .label = label, .module = module, .file = path, .line = line};
  if (give_key(&scope)) return scope.key;
  storage_count_drop(DROP_FUNCTIONS);
  return 0;
}

bool scopes_write_closure(uint64_t key, const char *description, uint32_t kind, uint64_t bytes) {
  struct recorded_definition *record = definition_write(&centres.definitions, &description, 1);
  if (!record) return false;
  record->key = key;
  record->within = bytes;
  record->place = kind;
  __atomic_store_n(&record->kind, DEFINED_CLOSURE, __ATOMIC_RELEASE);
  return true;
}

static bool is_defined(uint64_t key) {
  uint64_t place = key - CENTRE_ADDRESS(0);
  return place - 1 < SLOTS && __atomic_load_n(&centres.index[place - 1], __ATOMIC_ACQUIRE);
}

uint32_t scopes_enter_defined(struct thread_state *thread, uint64_t key, uint32_t from) {
  bool is_known = !from || storage_may_be_context(from);
  if (!is_known || !is_defined(key)) storage_count_drop(DROP_POINTS);
  if (!is_defined(key)) return from;
  return enter_key(thread, key, is_known ? from : 0);
}
