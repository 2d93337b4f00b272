#include "runtime/contexts/machine.h"

#include <stddef.h>

#define ASCRIBE_RUNTIME
#include "ascribe/host.h"
#include "recording/history.h"
#include "runtime/arch/x86_64/enter_slow.h"
#include "runtime/contexts/context_store.h"
#include "runtime/contexts/function_table.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#define SLOTS_MOST (1ull << 22)
#define ROOMY 8     /* slots per transition after a rebuild: most calls then hit their home slot */
#define CROWDED 2   /* below this many slots per transition the table grows */
#define SPACIOUS 16 /* and this is the most that slow calls alone make it */
#define SPREAD_MOST (1ull << 18)
#define SLOW_HITS_FIRST 4096

#define AT(structure, field, offset) (offsetof(struct structure, field) == (offset))
static_assert(AT(ascribe_cell, gate, CELL_GATE) && AT(ascribe_gate, mask, GATE_MASK) &&
                  AT(ascribe_gate, table, GATE_TABLE) && AT(ascribe_gate, owner, GATE_OWNER) &&
                  ASCRIBE_STANDBY == 1 && sizeof(struct ascribe_slot) == SLOT_BYTES &&
                  AT(ascribe_slot, from, SLOT_FROM) && AT(ascribe_slot, to, SLOT_TO) &&
                  AT(ascribe_slot, callee, SLOT_CALLEE) && AT(ascribe_slot, site, SLOT_SITE) &&
                  AT(ascribe_slot, count, SLOT_COUNT) &&
                  ASCRIBE_CALL_INDIRECT == 1ull << CALL_INDIRECT_BIT &&
                  ASCRIBE_HASH_SITE == HASH_SITE && ASCRIBE_HASH_CONTEXT == HASH_CONTEXT &&
                  AT(thread_state, record, THREAD_RECORD) &&
                  AT(thread_state, slow_hits, THREAD_SLOW_HITS) &&
                  AT(thread_state, slow_hits_limit, THREAD_SLOW_HITS_LIMIT) &&
                  AT(thread_state, paused, THREAD_PAUSED) &&
                  AT(recorded_thread, slow_steps, RECORD_SLOW_STEPS),
              "enter_slow.S knows these places");

static uint64_t retirements; /* passes over a table for an unloaded object */

/* One instruction: a signal may interrupt. */
static void count_one(uint64_t *count) {
  __asm__("incq %0" : "+m"(*count));
}

/* Where a transition may be: in its home slot or one of the next, where the hooks and enter_slow.S
 * look. Ids of contexts lie close together, and so do their home slots: many contexts make long
 * runs of full ones. So the further slots are spread by a better hash. Nobody looks at more than
 * PROBES_MOST: at seven eighths full, one transition in five thousand has no room.  Retired slots
 * do not count: a library that is loaded again and again leaves one each time, on one way. */
#define PROBES_MOST (NEAR_SLOTS + 64)

struct way {
  struct ascribe_slot *table;
  uint64_t mask, place, random;
  uint64_t callee, site;
  uint32_t from, probes, left;
};

static struct way way_to(struct ascribe_slot *table, uint64_t slots, uint32_t from, uint64_t callee,
                         uint64_t site) {
  uint64_t home = ASCRIBE_HASH(from, callee, site) / sizeof *table;
  return (struct way){table, slots - 1, home, 0, callee, site, from, 0, PROBES_MOST};
}

/* Random numbers rather than steps of one size: full slots lie at equal distances, too. */
static void jump(struct way *way) {
  if (way->probes == NEAR_SLOTS)
    way->random = ((way->callee * 0x9E3779B97F4A7C15ull ^ way->site) * 0xC2B2AE3D27D4EB4Full ^
                   (uint64_t)way->from << 32 ^ way->from) *
                  0x9E3779B97F4A7C15ull;
  way->random = way->random * 6364136223846793005ull + 1442695040888963407ull;
  way->place = (way->random ^ way->random >> 29) >> 20;
}

/* Null: the transition is nowhere further on. */
static struct ascribe_slot *next_slot(struct way *way) {
  if (!way->left) return NULL;
  if (way->probes >= NEAR_SLOTS) jump(way);
  way->probes++;
  struct ascribe_slot *slot = &way->table[way->place++ & way->mask];
  way->left -= !(__atomic_load_n(&slot->callee, __ATOMIC_RELAXED) & SLOT_RETIRED);
  return slot;
}

/* The size first: a handler that replaces the table in between leaves a size that fits either. */
static struct ascribe_slot *table_now(const struct thread_state *thread, uint64_t *slots) {
  *slots = __atomic_load_n(&thread->slots, __ATOMIC_ACQUIRE);
  return __atomic_load_n(&thread->table, __ATOMIC_ACQUIRE);
}

/* Make the hooks use a table. First where it is, then how large: see include/ascribe/hook.h. */
static void gate_open(struct thread_state *thread) {
  struct ascribe_gate *gate = thread->gate;
  __atomic_store_n(&gate->table, (uint64_t)((char *)thread->table - (char *)gate),
                   __ATOMIC_RELEASE);
  __atomic_store_n(&gate->mask, (thread->slots - 1) * sizeof *thread->table, __ATOMIC_RELEASE);
}

/* A handler that interrupted us forked, and this is the child, which has a state of its own by
 * now: what we hold is the parent's. */
static bool abandoned(const struct thread_state *thread) {
  return __atomic_load_n(&thread->gate->owner, __ATOMIC_RELAXED) != (uint64_t)thread;
}

static struct ascribe_slot *table_claim(struct thread_state *thread, uint64_t slots) {
  enum block_kind kind = thread->paused ? BLOCK_PAUSED : BLOCK_TABLE;
  struct block_header *block =
      storage_claim(kind, (slots + 1) * sizeof(struct ascribe_slot), thread->number);
  if (!block) return NULL;
  block->used = block->bytes;
  return block_payload(block);
}

bool machine_start(struct thread_state *thread, uint64_t slots) {
  thread->root = context_special(thread, CONTEXT_ROOT);
  thread->overflow = context_special(thread, CONTEXT_OVERFLOW);
  thread->table = table_claim(thread, slots);
  if (!thread->root || !thread->overflow || !thread->table) return false;
  thread->slots = slots;
  thread->slow_hits_limit = SLOW_HITS_FIRST;
  gate_open(thread);
  return true;
}

/* Copy the keys, not the counts: those stay in the old table, where late increments of interrupted
 * hooks belong too, and readers add them up.  Nothing can be lost, whenever the process dies. */
static void slot_copy(struct ascribe_slot *table, uint64_t slots, const struct ascribe_slot *from) {
  struct way way = way_to(table, slots, from->from, from->callee, from->site);
  struct ascribe_slot *slot = next_slot(&way);
  while (slot && slot->callee)
    slot = next_slot(&way);
  if (!slot) return; /* it is made again when it is next taken */
  slot->from = from->from;
  slot->to = from->to;
  slot->site = from->site;
  slot->callee = from->callee;
}

static bool slot_live(const struct ascribe_slot *slot) {
  return slot->callee > SLOT_CLAIMED && !(slot->callee & SLOT_RETIRED);
}

/* Busy transitions first, so that they get their home slots: in classes, by the mean number of
 * calls times powers of eight. The exact order would cost a sort. */
static void copy_busy_first(const struct thread_state *thread, const struct ascribe_slot *old,
                            uint64_t old_slots, struct ascribe_slot *table, uint64_t slots) {
  uint64_t live = 0, calls = 0;
  for (uint64_t i = 0; i < old_slots; i++)
    if (slot_live(&old[i])) {
      live++;
      calls += old[i].count;
    }
  uint64_t mean = calls / (live + 1), ceiling = UINT64_MAX;
  const uint64_t floors[] = {mean * 512 + 1, mean * 64 + 1, mean * 8 + 1, mean + 1, 0};
  for (int pass = 0; pass < 5; ceiling = floors[pass++])
    for (uint64_t i = 0; i < old_slots && !abandoned(thread); i++)
      if (slot_live(&old[i]) && old[i].count >= floors[pass] && old[i].count < ceiling)
        slot_copy(table, slots, &old[i]);
}

/* Transitions were retired in the old table while it was copied: retire them in the copy. */
static void retire_copies(const struct ascribe_slot *old, uint64_t old_slots,
                          struct ascribe_slot *table, uint64_t slots) {
  for (uint64_t i = 0; i < old_slots; i++) {
    if (!(old[i].callee & SLOT_RETIRED)) continue;
    uint64_t callee = old[i].callee & ~SLOT_RETIRED;
    struct way way = way_to(table, slots, old[i].from, callee, old[i].site);
    for (struct ascribe_slot *slot; (slot = next_slot(&way)) && slot->callee;)
      if (slot->from == old[i].from && slot->callee == callee && slot->site == old[i].site)
        __atomic_fetch_or(&slot->callee, SLOT_RETIRED, __ATOMIC_RELAXED);
  }
}

/* No table has fewer slots than those before it. Sequentially consistent: see machine_retire. */
static void table_put(struct thread_state *thread, struct ascribe_slot *table, uint64_t slots) {
  __atomic_store_n(&thread->table, table, __ATOMIC_SEQ_CST);
  __atomic_store_n(&thread->slots, slots, __ATOMIC_RELEASE);
  gate_open(thread);
}

/* False if a handler replaced the old table meanwhile. */
static bool table_replace(struct thread_state *thread, const struct ascribe_slot *old,
                          struct ascribe_slot *table, uint64_t slots) {
  uint64_t signals;
  system_block_signals(&signals);
  bool replaces = thread->table == old && !abandoned(thread);
  if (replaces) table_put(thread, table, slots);
  system_unblock_signals(&signals);
  return replaces;
}

/* A handler that interrupts the copy goes on using the old table; a transition it adds there is
 * made again in the new one when it is next taken.  It may also replace the table itself, or never
 * return: `growing` only asks others to wait while there is room. */
static void table_rebuild(struct thread_state *thread, uint64_t slots) {
  thread->growing = 1;
  uint64_t old_slots, before = __atomic_load_n(&retirements, __ATOMIC_SEQ_CST);
  const struct ascribe_slot *old = table_now(thread, &old_slots);
  struct ascribe_slot *table = table_claim(thread, slots);
  if (table) {
    /* Counts may rise during the copy and a slot then be met in two passes: no harm, equal keys
     * add up. */
    copy_busy_first(thread, old, old_slots, table, slots);
    if (table_replace(thread, old, table, slots)) {
      __atomic_fetch_add(&storage_header()->rebuilds, 1, __ATOMIC_RELAXED);
      if (__atomic_load_n(&retirements, __ATOMIC_SEQ_CST) != before)
        retire_copies(old, old_slots, table, slots);
    }
  }
  thread->growing = 0;
}

static void aside_put(struct thread_state *thread, struct ascribe_slot *table, uint64_t slots) {
  __atomic_store_n(&thread->aside, table, __ATOMIC_SEQ_CST);
  __atomic_store_n(&thread->aside_slots, slots, __ATOMIC_RELEASE);
}

static bool is_of_pauses(const struct ascribe_slot *table) {
  return ((const struct block_header *)table)[-1].kind == BLOCK_PAUSED;
}

static void empty(struct ascribe_host_line *line, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    if (line[i].key) line[i].key = 0;
}

/* Pages that are given back would be cheaper, but the thread may be about to read a line. */
static void empty_lines(uint64_t address) {
  const struct ascribe_host_lines *lines = (const struct ascribe_host_lines *)address;
  if (!lines) return;
  empty((struct ascribe_host_line *)address, lines->count);
  const unsigned char *used = (const unsigned char *)(address + lines->used);
  struct ascribe_host_line *further = (struct ascribe_host_line *)(address + lines->further);
  for (uint64_t i = 0; i < lines->count; i++)
    if (used[i]) empty(further + i * ASCRIBE_HOST_FURTHER_LINES, ASCRIBE_HOST_FURTHER_LINES);
}

/* Counts go where the table is: that of pauses keeps theirs apart.  The two change places, so that
 * a program may pause as often as it likes; what one lacks is entered when it is next met. */
void machine_pause(struct thread_state *thread, bool paused) {
  struct ascribe_slot *before = thread->table, *other = thread->aside;
  uint64_t other_slots = thread->aside_slots;
  thread->paused = paused;
  empty_lines(thread->gate->spare);
  if (is_of_pauses(before) == paused) return; /* there was no room for the other one */
  aside_put(thread, before, thread->slots);
  if (other && other_slots == thread->slots)
    table_put(thread, other, other_slots);
  else
    table_rebuild(thread, thread->slots);
  if (thread->table != before) return;
  storage_count_drop(DROP_TRANSITIONS);
  aside_put(thread, other, other_slots);
}

static void grow_when_crowded(struct thread_state *thread) {
  uint64_t slots = thread->slots;
  if (thread->transitions * CROWDED < slots || slots >= SLOTS_MOST) return;
  if (thread->growing && thread->transitions < slots / 4 * 3) return;
  while (slots < thread->transitions * ROOMY && slots < SLOTS_MOST)
    slots *= 2;
  table_rebuild(thread, slots);
}

static bool spreads(const struct thread_state *thread, uint64_t slots) {
  return slots < thread->transitions * SPACIOUS && slots < SPREAD_MOST;
}

/* Many calls miss their home slots: busy transitions share some. In a larger table they part.  One
 * of the same size only gives the busy ones of today their homes; its pages cost about as much as a
 * miss for each slot. */
static void spread_when_slow(struct thread_state *thread) {
  if (++thread->slow_hits < thread->slow_hits_limit) return;
  uint64_t slots = spreads(thread, thread->slots) ? thread->slots * 2 : thread->slots;
  thread->slow_hits = 0;
  thread->slow_hits_limit *= 2;
  if (!spreads(thread, slots) && thread->slow_hits_limit < slots) thread->slow_hits_limit = slots;
  table_rebuild(thread, slots);
}

/* Claim an empty slot on the way. A handler may be doing the same: the claim is the one step that
 * decides. Null: there is none. */
static struct ascribe_slot *slot_claim(struct way way) {
  for (struct ascribe_slot *slot; (slot = next_slot(&way));) {
    uint64_t empty = 0;
    if (!slot->callee && __atomic_compare_exchange_n(&slot->callee, &empty, SLOT_CLAIMED, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return slot;
  }
  return NULL;
}

static bool insert(struct thread_state *thread, uint32_t context, uint64_t callee, uint64_t site,
                   uint32_t to) {
  grow_when_crowded(thread);
  uint64_t slots;
  struct ascribe_slot *table = table_now(thread, &slots);
  if (thread->transitions >= slots / 8 * 7) return false;
  if (abandoned(thread)) return true; /* the parent counts this call */
  struct ascribe_slot *slot = slot_claim(way_to(table, slots, context, callee, site));
  if (!slot) return false;
  slot->from = context;
  slot->to = to;
  slot->site = site;
  slot->count = 1;
  __atomic_store_n(&slot->callee, callee, __ATOMIC_RELEASE);
  thread->transitions++;
  return true;
}

static struct ascribe_slot *find(struct thread_state *thread, uint32_t context, uint64_t callee,
                                 uint64_t site) {
  uint64_t slots;
  struct ascribe_slot *table = table_now(thread, &slots);
  struct way way = way_to(table, slots, context, callee, site);
  for (struct ascribe_slot *slot; (slot = next_slot(&way)) && slot->callee;)
    if (slot->from == context && slot->callee == callee && slot->site == site) return slot;
  return NULL;
}

static uint32_t lost(struct thread_state *thread, uint64_t callee, enum drop why) {
  storage_count_drop(why);
  if (!(callee & RETURN_ADDRESS))
    __atomic_fetch_add(&storage_header()->overflow_calls, 1, __ATOMIC_RELAXED);
  return thread->overflow;
}

uint32_t machine_go_on(struct thread_state *thread, uint32_t context, uint64_t callee) {
  uint32_t from = context ? context : thread->root;
  const struct recorded_context *before = storage_context(from);
  if (!before || before->flags & CONTEXT_OVERFLOW) return lost(thread, callee, DROP_CONTEXTS);
  uint32_t function = function_id(callee & ~CALL_INDIRECT);
  if (function == FUNCTION_NONE) return lost(thread, callee, DROP_FUNCTIONS);
  uint32_t to = context_after(thread, from, function, callee & RETURN_ADDRESS);
  return to ? to : lost(thread, callee, DROP_CONTEXTS);
}

uint32_t machine_enter(struct thread_state *thread, uint32_t context, uint64_t callee,
                       uint64_t site) {
  uint32_t to = machine_go_on(thread, context, callee);
  if (to != thread->overflow && !insert(thread, context, callee, site, to))
    lost(thread, callee, DROP_TRANSITIONS);
  return to;
}

uint32_t machine_known(struct thread_state *thread, uint32_t from, uint64_t callee, uint64_t site) {
  struct ascribe_slot *slot = find(thread, from, callee, site);
  if (!slot) return 0;
  count_one(&slot->count);
  uint32_t to = slot->to;
  spread_when_slow(thread);
  return to;
}

bool machine_add(struct thread_state *thread, uint32_t from, uint64_t callee, uint64_t site,
                 uint32_t to) {
  if (insert(thread, from, callee, site, to)) return true;
  storage_count_drop(DROP_TRANSITIONS);
  return false;
}

void machine_count_from(struct thread_state *thread, uint32_t from, uint64_t callee, uint64_t site,
                        uint32_t to) {
  if (!machine_known(thread, from, callee, site)) machine_add(thread, from, callee, site, to);
}

void machine_step(struct thread_state *thread, uint64_t callee, uint64_t site) {
  if (!thread->paused) count_one(&thread->record->slow_steps);
  if (!machine_known(thread, 0, callee, site)) machine_enter(thread, 0, callee, site);
}

const struct ascribe_slot *machine_slot(struct thread_state *thread, uint32_t from,
                                        uint64_t callee) {
  return find(thread, from, callee, 0);
}

uint32_t machine_lost(struct thread_state *thread, enum drop why) {
  return lost(thread, 0, why);
}

void machine_add_indirect(struct thread_state *thread, uint64_t callee, uint64_t site,
                          uint64_t calls) {
  machine_step(thread, callee | CALL_INDIRECT, site);
  struct ascribe_slot *slot = find(thread, 0, callee | CALL_INDIRECT, site);
  if (slot) __atomic_fetch_add(&slot->count, calls - 1, __ATOMIC_RELAXED);
}

uint32_t machine_stack_step(struct thread_state *thread, uint32_t context, uint64_t address) {
  uint64_t call = address | RETURN_ADDRESS;
  if (is_row_id(context)) context = storage_row(context)->context;
  if (context == thread->overflow) return context;
  const struct ascribe_slot *slot = find(thread, context, call, 0);
  return slot ? slot->to : machine_enter(thread, context, call, 0);
}

void machine_count_first(struct thread_state *thread, uint64_t callee, uint64_t site) {
  uint32_t function = function_id(callee);
  if (function == FUNCTION_NONE)
    lost(thread, callee, DROP_FUNCTIONS);
  else if (!insert(thread, 0, callee | CALL_COUNTED, site, function + 1))
    lost(thread, callee, DROP_TRANSITIONS);
}

bool machine_count(struct thread_state *thread, uint64_t callee, uint64_t site) {
  if (!thread->paused) count_one(&thread->record->slow_steps);
  struct ascribe_slot *slot = find(thread, 0, callee | CALL_COUNTED, site);
  if (!slot) return false;
  count_one(&slot->count);
  spread_when_slow(thread);
  return true;
}

static bool touches(const struct ascribe_slot *slot, uint64_t start, uint64_t end) {
  uint64_t callee = slot->callee, site = slot->site;
  if (callee <= SLOT_CLAIMED) return false;
  callee &= ~(RETURN_ADDRESS | CALL_INDIRECT | CALL_COUNTED);
  return (callee >= start && callee < end) || (site >= start && site < end);
}

static void retire_in(struct ascribe_slot *table, uint64_t slots, uint64_t start, uint64_t end) {
  for (uint64_t i = 0; table && i < slots; i++)
    if (touches(&table[i], start, end))
      __atomic_fetch_or(&table[i].callee, SLOT_RETIRED, __ATOMIC_RELAXED);
}

/* The owner may be copying the table.  Either it puts the copy in place after our last look at
 * `thread->table`: then it sees that `retirements` changed and retires in the copy what we retired
 * in the original.  Or before: then we see the copy.  Where it changes places with the one aside,
 * that one is put aside first: whoever sees the new table sees it there. */
void machine_retire(struct thread_state *thread, uint64_t start, uint64_t end) {
  struct ascribe_slot *table, *aside;
  do {
    uint64_t slots;
    table = table_now(thread, &slots);
    retire_in(table, slots, start, end);
    slots = __atomic_load_n(&thread->aside_slots, __ATOMIC_ACQUIRE);
    aside = __atomic_load_n(&thread->aside, __ATOMIC_SEQ_CST);
    retire_in(aside, slots, start, end);
    __atomic_fetch_add(&retirements, 1, __ATOMIC_SEQ_CST);
  } while (__atomic_load_n(&thread->table, __ATOMIC_SEQ_CST) != table || aside == table);
}
