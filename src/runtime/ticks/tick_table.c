#include "runtime/ticks/tick_table.h"

#include "runtime/arch/processor.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/storage.h"
#include "runtime/ticks/slices.h"

#define ENTRIES_FIRST 200 /* two pages: short processes are many */
#define ENTRIES_MOST (1u << 22)
#define PC_EMPTY 0ull
#define PC_CLAIMED 1ull

struct tick_place {
  uint32_t context, centre, stack;
  uint32_t slice;
  uint64_t pc;
};

/* The entry of the key, claimed if it is new: claim, fill, publish, so that a handler in between
 * finds nothing half-written. Null: no room. */
static struct recorded_tick *entry(struct thread_event *event, const struct tick_place *place,
                                   uint32_t seen) {
  struct block_header *block = event->table;
  if (!block) return NULL;
  uint64_t entries = block_payload_bytes(block) / sizeof(struct recorded_tick);
  struct recorded_tick *table = block_payload(block);
  uint64_t contexts = place->context + place->stack + 3ull * place->centre, pc = place->pc;
  contexts += (uint64_t)place->slice << 32;
  uint64_t k = (pc * 0x9E3779B97F4A7C15ull + contexts * 0xC2B2AE3D27D4EB4Full) >> 20;
  for (uint64_t i = 0; i < entries; i++) {
    struct recorded_tick *tick = &table[(k + i) % entries];
    if (tick->pc == pc && tick->stack == place->stack && tick->context == place->context &&
        tick->centre == place->centre && tick->slice == place->slice && tick->epoch >= seen)
      return tick;
    if (tick->pc != PC_EMPTY) continue;
    if (event->entries * 4 >= entries * 3) return NULL;
    uint64_t empty = PC_EMPTY;
    if (!__atomic_compare_exchange_n(&tick->pc, &empty, PC_CLAIMED, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
      continue;
    tick->context = place->context;
    tick->stack = place->stack;
    tick->centre = place->centre;
    tick->slice = place->slice;
    tick->epoch = (uint32_t)__atomic_load_n(&storage_header()->epoch, __ATOMIC_RELAXED);
    __atomic_store_n(&tick->pc, pc, __ATOMIC_RELEASE);
    event->entries++;
    slices_note_entry();
    return tick;
  }
  return NULL;
}

/* Full tables stay where they are: readers add up what stands in several. */
static bool next_table(struct thread_state *thread, unsigned number) {
  struct thread_event *event = &thread->events[number];
  uint64_t entries = ENTRIES_FIRST;
  if (event->table) entries = 2 * block_payload_bytes(event->table) / sizeof(struct recorded_tick);
  if (entries > ENTRIES_MOST) return false;
  struct block_header *block =
      storage_claim(BLOCK_TICKS, entries * sizeof(struct recorded_tick), thread->number);
  if (!block) return false;
  block->first = number;
  block->used = block->bytes;
  event->entries = 0;
  event->table = block;
  return true;
}

void tick_table_sampled(struct thread_state *thread, unsigned event, uint64_t weight) {
  struct block_header *block = thread->events[event].table;
  if (!block) return;
  unsigned __int128 square = (unsigned __int128)weight * weight;
  uint64_t before = block->squares[0];
  block->squares[0] += (uint64_t)square;
  block->squares[1] += (uint64_t)(square >> 64) + (block->squares[0] < before);
}

static struct recorded_tick *find(struct thread_state *thread, unsigned event,
                                  const struct tick_place *place, uint32_t seen) {
  struct thread_event *of = &thread->events[event];
  struct recorded_tick *tick = entry(of, place, seen);
  if (!tick && next_table(thread, event)) tick = entry(of, place, seen);
  return tick;
}

struct recorded_tick *tick_table_charge(struct thread_state *thread, unsigned event,
                                        uint32_t context, uint32_t stack, uint64_t pc,
                                        uint32_t seen, uint64_t tsc, uint64_t weight) {
  const struct tick_place place = {context, ascribe_centre, stack, slices_at(tsc), pc};
  struct recorded_tick *tick = find(thread, event, &place, seen);
  if (!tick) {
    storage_count_drop(DROP_TICKS);
    return NULL;
  }
  increment_by(&tick->weight, weight);
  increment_small(&tick->ticks);
  return tick;
}

bool tick_table_move(struct thread_state *thread, unsigned event, struct recorded_tick *from,
                     const struct tick_move *to) {
  const struct tick_place place = {from->context, from->centre, to->stack, from->slice, to->pc};
  struct recorded_tick *tick = find(thread, event, &place, to->seen);
  if (!tick) return false;
  tick->weight += to->weight;
  tick->ticks += to->ticks;
  from->weight -= to->weight;
  from->ticks -= to->ticks;
  return true;
}

void tick_table_count(struct thread_state *thread, unsigned event, uint64_t counted) {
  struct thread_event *of = &thread->events[event];
  if (of->table || next_table(thread, event))
    __atomic_fetch_add(&of->table->counted, counted, __ATOMIC_RELAXED);
}
