#include "runtime/contexts/watched_slots.h"

#include <stddef.h>

#include "runtime/contexts/machine.h"
#include "runtime/registry/system.h"

#define SLOTS_OF_CHUNK 170

struct watched {
  const struct ascribe_slot *slot; /* that its count was last seen in; null: not looked at yet */
  uint64_t key;                    /* 0: not ready */
  uint32_t from;
  uint32_t logged; /* of the slot's count: its lower half */
};

struct watched_chunk {
  struct watched list[SLOTS_OF_CHUNK];
  uint32_t count; /* atomic: a handler may add one, too */
};

static struct watched *watched_at(const struct watched_slots *slots, uint32_t number) {
  return &slots->chunks[(number - 1) / SLOTS_OF_CHUNK]->list[(number - 1) % SLOTS_OF_CHUNK];
}

/* The number of a place that is this caller's alone; 0: there is none. */
static uint32_t claim_place(struct watched_slots *slots) {
  uint32_t chunks = slots->chunk_count;
  struct watched_chunk *chunk = chunks ? slots->chunks[chunks - 1] : NULL;
  if (!chunk || __atomic_load_n(&chunk->count, __ATOMIC_RELAXED) >= SLOTS_OF_CHUNK) {
    if (chunks == WATCHED_CHUNKS || !(chunk = system_memory(sizeof *chunk))) return 0;
    slots->chunks[chunks++] = chunk;
    slots->chunk_count = chunks;
  }
  uint32_t place = __atomic_fetch_add(&chunk->count, 1, __ATOMIC_RELAXED);
  return place < SLOTS_OF_CHUNK ? (chunks - 1) * SLOTS_OF_CHUNK + place + 1 : 0;
}

/* Where in the index the place stands, or is to. Where the table of transitions was replaced, they
 * are entered anew. Places are fewer than half of the index. */
static uint32_t *index_of(struct watched_slots *slots, uint32_t from, uint64_t key) {
  uint64_t hash = (key + from * 0xc2b2ae3d27d4eb4full) * 0x9e3779b97f4a7c15ull >> 40;
  for (;; hash++) {
    uint32_t *at = &slots->index[hash % WATCHED_INDEX];
    uint32_t number = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (!number) return at;
    const struct watched *watched = watched_at(slots, number);
    if (watched->key == key && watched->from == from) return at;
  }
}

/* Whether the place, which is filled in, is in the index now: a handler may have just added the
 * same one. */
static bool put_into_index(struct watched_slots *slots, const struct watched *watched,
                           uint32_t number) {
  for (;;) {
    uint32_t *at = index_of(slots, watched->from, watched->key), none = 0;
    if (*at) return false;
    if (__atomic_compare_exchange_n(at, &none, number, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return true;
  }
}

bool watched_slots_add(struct watched_slots *slots, struct thread_state *thread, uint32_t from,
                       uint64_t key) {
  if (*index_of(slots, from, key)) return true;
  uint32_t number = claim_place(slots);
  if (!number) return false;
  struct watched *watched = watched_at(slots, number);
  watched->from = from;
  watched->slot =
      machine_slot(thread, from, key); /* what it has is counted, should it be replaced */
  __atomic_store_n(&watched->key, key, __ATOMIC_RELEASE);
  if (!put_into_index(slots, watched, number)) __atomic_store_n(&watched->key, 0, __ATOMIC_RELAXED);
  return true;
}

/* What was counted since the last look. Slots of tables that were replaced keep their counts. */
static void look_at(struct thread_state *thread, struct watched *watched, watched_log log) {
  const struct ascribe_slot *now = machine_slot(thread, watched->from, watched->key);
  if (watched->slot && watched->slot != now) {
    uint32_t rest = (uint32_t)watched->slot->count - watched->logged;
    if (rest && !log(thread, watched->slot, rest)) return;
  }
  if (now && watched->slot != now) {
    watched->slot = now;
    watched->logged = 0;
  }
  if (!now) return;
  uint32_t count = (uint32_t)now->count - watched->logged;
  if (count && log(thread, now, count)) watched->logged += count;
}

void watched_slots_look(struct watched_slots *slots, struct thread_state *thread, watched_log log) {
  for (uint32_t i = 0; i < slots->chunk_count; i++)
    for (uint32_t k = 0; k < SLOTS_OF_CHUNK && k < slots->chunks[i]->count; k++) {
      struct watched *watched = &slots->chunks[i]->list[k];
      if (__atomic_load_n(&watched->key, __ATOMIC_ACQUIRE)) look_at(thread, watched, log);
    }
}
