#include "runtime/contexts/entry_series.h"

#include <stddef.h>

#include "runtime/contexts/machine.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/ticks/slices.h"

#define ENTRIES_OF_CHUNK 170
#define CHUNKS_MOST 48 /* a look takes time: beyond 8160 places nothing is known by time */
#define INDEX (1u << 14)
#define BLOCK_BYTES (RECORDING_UNIT - sizeof(struct block_header))

/* From where a centre was entered. */
struct watched {
  const struct ascribe_slot *slot; /* that its count was last seen in; null: not looked at yet */
  uint64_t key;                    /* 0: not ready */
  uint32_t from;
  uint32_t logged; /* of the slot's count: its lower half */
};

struct entry_chunk {
  struct watched list[ENTRIES_OF_CHUNK];
  uint32_t count; /* atomic: a handler may add one, too */
};

struct entry_series {
  struct entry_chunk *chunks[CHUNKS_MOST];
  uint32_t index[INDEX]; /* by hash: the number of a place, from 1; atomic */
  uint32_t chunk_count;
  uint32_t slice; /* of the last tick */
  bool looking;
  struct block_header *block; /* where rows go */
};

static struct watched *watched_at(const struct entry_series *series, uint32_t number) {
  return &series->chunks[(number - 1) / ENTRIES_OF_CHUNK]->list[(number - 1) % ENTRIES_OF_CHUNK];
}

/* The number of a place that is this caller's alone; 0: there is none. */
static uint32_t claim_place(struct entry_series *series) {
  uint32_t chunks = series->chunk_count;
  struct entry_chunk *chunk = chunks ? series->chunks[chunks - 1] : NULL;
  if (!chunk || __atomic_load_n(&chunk->count, __ATOMIC_RELAXED) >= ENTRIES_OF_CHUNK) {
    if (chunks == CHUNKS_MOST || !(chunk = system_memory(sizeof *chunk))) return 0;
    series->chunks[chunks++] = chunk;
    series->chunk_count = chunks;
  }
  uint32_t place = __atomic_fetch_add(&chunk->count, 1, __ATOMIC_RELAXED);
  return place < ENTRIES_OF_CHUNK ? (chunks - 1) * ENTRIES_OF_CHUNK + place + 1 : 0;
}

/* Where in the index the place stands, or is to. Where the table of transitions was replaced, they
 * are entered anew. Places are fewer than half of the index. */
static uint32_t *index_of(struct entry_series *series, uint32_t from, uint64_t key) {
  uint64_t hash = (key + from * 0xc2b2ae3d27d4eb4full) * 0x9e3779b97f4a7c15ull >> 40;
  for (;; hash++) {
    uint32_t *at = &series->index[hash % INDEX];
    uint32_t number = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (!number) return at;
    const struct watched *watched = watched_at(series, number);
    if (watched->key == key && watched->from == from) return at;
  }
}

static struct entry_series *series_of(struct thread_state *thread) {
  if (thread->entries) return thread->entries;
  struct entry_series *series = system_memory(sizeof *series);
  if (series) series->slice = slices_last();
  return thread->entries = series;
}

/* Whether the place, which is filled in, is in the index now: a handler may have just added the
 * same one. */
static bool put_into_index(struct entry_series *series, const struct watched *watched,
                           uint32_t number) {
  for (;;) {
    uint32_t *at = index_of(series, watched->from, watched->key), none = 0;
    if (*at) return false;
    if (__atomic_compare_exchange_n(at, &none, number, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return true;
  }
}

void entry_series_add(struct thread_state *thread, uint32_t from, uint64_t key) {
  struct entry_series *series = series_of(thread);
  if (!series || *index_of(series, from, key)) return;
  uint32_t number = claim_place(series);
  if (!number) {
    storage_note_lack(HINDRANCE_ENTRIES);
    return;
  }
  struct watched *watched = watched_at(series, number);
  watched->from = from;
  __atomic_store_n(&watched->key, key, __ATOMIC_RELEASE);
  if (!put_into_index(series, watched, number))
    __atomic_store_n(&watched->key, 0, __ATOMIC_RELAXED);
}

/* False: no room. */
static bool log_entries(struct thread_state *thread, const struct ascribe_slot *slot,
                        uint32_t entries) {
  struct entry_series *series = thread->entries;
  struct block_header *block = series->block;
  struct recorded_entries *row = NULL;
  if (!block || block->used + sizeof *row > block->bytes) {
    block = storage_claim(BLOCK_ENTRIES, BLOCK_BYTES, thread->number);
    if (!block) return false;
    series->block = block;
  }
  row = (void *)((char *)block + block->used);
  *row = (struct recorded_entries){slot->from, slot->to, series->slice, entries};
  __atomic_store_n(&block->used, block->used + sizeof *row, __ATOMIC_RELEASE);
  return true;
}

/* What was counted since the last look. Slots of tables that were replaced keep their counts. */
static void look_at(struct thread_state *thread, struct watched *watched) {
  const struct ascribe_slot *now = machine_slot(thread, watched->from, watched->key);
  if (watched->slot && watched->slot != now) {
    uint32_t rest = (uint32_t)watched->slot->count - watched->logged;
    if (rest && !log_entries(thread, watched->slot, rest)) return;
  }
  if (now && watched->slot != now) {
    watched->slot = now;
    watched->logged = 0;
  }
  if (!now) return;
  uint32_t entries = (uint32_t)now->count - watched->logged;
  if (entries && log_entries(thread, now, entries)) watched->logged += entries;
}

static void look(struct thread_state *thread) {
  const struct entry_series *series = thread->entries;
  for (uint32_t i = 0; i < series->chunk_count; i++)
    for (uint32_t k = 0; k < ENTRIES_OF_CHUNK && k < series->chunks[i]->count; k++) {
      struct watched *watched = &series->chunks[i]->list[k];
      if (__atomic_load_n(&watched->key, __ATOMIC_ACQUIRE)) look_at(thread, watched);
    }
}

void entry_series_look(struct thread_state *thread, uint32_t slice) {
  struct entry_series *series = thread->entries;
  if (!series || series->slice == slice || thread->paused) return;
  /* A handler that interrupts a look, or jumps out of one, leaves the rest to the next. */
  if (series->looking) {
    series->looking = false;
    return;
  }
  series->looking = true;
  look(thread);
  series->slice = slice;
  series->looking = false;
}
