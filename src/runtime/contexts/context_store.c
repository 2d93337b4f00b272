#include "runtime/contexts/context_store.h"

#include "recording/history.h"
#include "runtime/contexts/function_table.h"
#include "runtime/objects/images.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "unwind/entry.h"

#define INDEX_FIRST 256
#define BLOCK_FIRST 4000
#define BLOCK_MOST (1u << 18)

static uint64_t record_bytes(uint32_t length) {
  uint64_t bytes = sizeof(struct recorded_context) + 4ull * length;
  return (bytes + CONTEXT_UNIT - 1) / CONTEXT_UNIT * CONTEXT_UNIT;
}

/* A new block for contexts, larger each time: few claims for large programs, little memory for
 * short threads. */
static struct block_header *next_block(struct thread_state *thread, uint64_t least) {
  uint64_t bytes = thread->contexts ? block_payload_bytes(thread->contexts) * 2 : BLOCK_FIRST;
  if (bytes > BLOCK_MOST) bytes = BLOCK_MOST;
  if (bytes < least) bytes = least;
  struct block_header *block = storage_claim(BLOCK_CONTEXTS, bytes, thread->number);
  if (block) thread->contexts = block;
  return block;
}

/* Space for a record; its `bytes` are set, so that readers can step over it from now on. */
static struct recorded_context *record_reserve(struct thread_state *thread, uint64_t bytes) {
  struct recorded_context *spare = __atomic_exchange_n(&thread->spare, NULL, __ATOMIC_RELAXED);
  if (spare && spare->bytes >= bytes) return spare;
  thread->spare = spare;
  for (int tries = 0; tries < 3; tries++) {
    struct block_header *block = thread->contexts;
    struct recorded_context *record = block ? storage_claim_record(block, bytes) : NULL;
    if (record) return record;
    if (!next_block(thread, bytes)) return NULL;
  }
  return NULL;
}

static uint32_t history_hash(const uint32_t *history, uint32_t length) {
  uint64_t h = length;
  for (uint32_t i = 0; i < length; i++) {
    h = (h ^ history[i]) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
  }
  return (uint32_t)(h >> 16);
}

static bool same_history(const struct recorded_context *a, const struct recorded_context *b) {
  if (a->hash != b->hash || a->length != b->length) return false;
  for (uint32_t i = 0; i < a->length; i++)
    if (a->history[i] != b->history[i]) return false;
  return true;
}

/* The entry's slot in the index, or the one of a context with the same history. Most collisions are
 * told apart by the hash, without a look at the records. */
static uint32_t index_insert(const struct context_index *index,
                             const struct recorded_context *record, uint32_t id) {
  uint64_t wanted = (uint64_t)record->hash << 32 | id;
  uint64_t k = record->hash & (index->slots - 1);
  for (uint64_t i = 0; i < index->slots; i++, k = (k + 1) & (index->slots - 1)) {
    uint64_t seen = __atomic_load_n(&index->entries[k], __ATOMIC_RELAXED);
    if (!seen && __atomic_compare_exchange_n(&index->entries[k], &seen, wanted, false,
                                             __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return id;
    if (seen >> 32 == record->hash && same_history(storage_context((uint32_t)seen), record))
      return (uint32_t)seen;
  }
  return 0;
}

static void index_copy(const struct context_index *from, const struct context_index *to) {
  for (uint64_t i = 0; i < from->slots; i++) {
    if (!from->entries[i]) continue;
    uint64_t k = (from->entries[i] >> 32) & (to->slots - 1);
    while (to->entries[k])
      k = (k + 1) & (to->slots - 1);
    to->entries[k] = from->entries[i];
  }
}

/* The size first: a handler that replaces the index in between leaves a size that fits either. */
static struct context_index index_now(const struct thread_state *thread) {
  struct context_index index;
  index.slots = __atomic_load_n(&thread->index.slots, __ATOMIC_ACQUIRE);
  index.entries = __atomic_load_n(&thread->index.entries, __ATOMIC_ACQUIRE);
  return index;
}

/* Never unmaps the old one: an interrupted insertion may still hold it. */
static void index_replace(struct thread_state *thread, const uint64_t *old,
                          struct context_index fresh) {
  uint64_t signals;
  system_block_signals(&signals);
  if (thread->index.entries == old) thread->index = fresh; /* else a handler's stays */
  system_unblock_signals(&signals);
}

/* A handler that interrupts the copy still inserts into the old index; should one of its contexts
 * be missed, its history stands twice in the recording, which costs space, not truth.  A handler
 * may also replace the index itself, or never return: `growing` only asks others to wait while
 * there is room. */
static void index_grow(struct thread_state *thread) {
  struct context_index old = index_now(thread);
  if (thread->growing && thread->context_count < old.slots / 4 * 3) return;
  thread->growing = 1;
  struct context_index fresh = {.slots = old.slots ? old.slots * 4 : INDEX_FIRST};
  fresh.entries = system_memory(fresh.slots * sizeof *fresh.entries);
  if (fresh.entries) {
    index_copy(&old, &fresh);
    index_replace(thread, old.entries, fresh);
  }
  thread->growing = 0;
}

uint32_t context_special(struct thread_state *thread, enum context_flag flag) {
  struct recorded_context *record = record_reserve(thread, record_bytes(0));
  if (!record) return 0;
  __atomic_store_n(&record->flags, flag | CONTEXT_READY, __ATOMIC_RELEASE);
  return storage_context_id(record);
}

/* Stacks that recur and are whole, in all threads. Programs may have any number of them. */
#define RECURRING_MOST (1u << 16)
static uint32_t recurring;

/* Where the code begins that calls there, by the unwind tables; 0: not known. */
static uint64_t code_of(uint32_t call) {
  uint64_t address = function_address(call) & ~RETURN_ADDRESS;
  const struct unwind_object *object = address ? images_find(NULL, address - 1) : NULL;
  struct unwind_entry entry;
  if (!object || !object->tables) return 0;
  if (unwind_entry_find(object->tables, address - 1 - object->bias, &entry) != 0) return 0;
  return entry.begin + object->bias;
}

/* A function that calls itself in several places has any number of stacks. Which places they are,
 * and which is the innermost, is all that they say: each of the others stands once. This is whether
 * the last one stands further out, too. */
static bool last_stands_already(const struct recorded_context *from, uint32_t call) {
  uint32_t i = from->length, last = i ? from->history[i - 1] : 0;
  uint64_t code = code_of(call);
  while (code && i > 0 && code_of(history_function(from->history[i - 1])) == code)
    if (--i < from->length - 1 && from->history[i] == last) return true;
  return false;
}

/* Write the history of `to`. Returns its flags. */
static uint32_t stack_after(const struct recorded_context *from, uint32_t call,
                            struct recorded_context *to) {
  bool recurs = from->flags & CONTEXT_RECURS || history_has(from->history, from->length, call);
  bool room = __atomic_load_n(&recurring, __ATOMIC_RELAXED) < RECURRING_MOST;
  bool whole = stack_stays_whole(from->history, from->length, recurs, room);
  uint32_t length = from->length;
  if (recurs && whole && last_stands_already(from, call)) length--;
  to->length = stack_step(from->history, length, call, whole, to->history);
  return CONTEXT_READY | CONTEXT_STACK | (recurs ? CONTEXT_RECURS : 0);
}

uint32_t context_after(struct thread_state *thread, uint32_t from, uint32_t function, bool call) {
  const struct recorded_context *before = storage_context(from);
  if (!call && history_is_running(before->history, before->length, function)) return from;

  if (thread->context_count * 2 >= thread->index.slots) index_grow(thread);
  struct recorded_context *record = record_reserve(thread, record_bytes(before->length + 1));
  if (!record) return 0;
  record->row = 0; /* it may be a spare one */
  uint32_t flags = CONTEXT_READY;
  if (call)
    flags = stack_after(before, function, record);
  else
    record->length = history_step(before->history, before->length, function, record->history);
  record->hash = history_hash(record->history, record->length);
  uint32_t id = storage_context_id(record);
  struct context_index index = index_now(thread);
  uint32_t found = index_insert(&index, record, id);
  if (found == id) {
    thread->context_count++;
    if (flags & CONTEXT_RECURS) __atomic_fetch_add(&recurring, 1, __ATOMIC_RELAXED);
  } else {
    thread->spare = record;
  }
  if (!found) return 0;
  /* Whoever inserted it may have been interrupted for good just before this. */
  struct recorded_context *context = (struct recorded_context *)storage_context(found);
  if (!context->flags) __atomic_store_n(&context->flags, flags, __ATOMIC_RELEASE);
  return found;
}
