#include "runtime/contexts/closures.h"

#include <stdbool.h>
#include <stddef.h>

#define ASCRIBE_RUNTIME
#include "ascribe/host.h"
#include "runtime/arch/x86_64/time_stamp.h"
#include "runtime/contexts/entry_series.h"
#include "runtime/contexts/machine.h"
#include "runtime/contexts/scopes.h"
#include "runtime/contexts/watched_slots.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/ticks/slices.h"

#define BYTES_END (1ull << WORLD_SHIFT)

static_assert(ASCRIBE_CLOSURE_IN_CENSUS == CLOSURE_CENSUS, "the key that censuses count with");

struct census {
  struct watched_slots slots;
  uint32_t number;                  /* of the one that is under way; 0: none is */
  uint32_t slice;                   /* that it begins in, then that it ends in */
  bool is_cut;                      /* by a pause, or for want of room: it is to have no end */
  bool lacks_room;                  /* nor has any after it: some pairs are not watched */
  const struct ascribe_slot *table; /* of transitions, at the last look */
  struct block_header *block;       /* where rows go */
};

static struct { uint32_t closures, censuses; /* atomic: numbers so far */ } given;

uint64_t closures_define(uint32_t kind, const char *description, uint64_t bytes) {
  bool is_kind = kind >= ASCRIBE_CONSTRUCTOR && kind <= ASCRIBE_THUNK;
  uint32_t number = 0;
  if (is_kind && bytes < BYTES_END &&
      __atomic_load_n(&given.closures, __ATOMIC_RELAXED) < CLOSURES_MOST - 1)
    number = __atomic_add_fetch(&given.closures, 1, __ATOMIC_RELAXED);
  if (number && number < CLOSURES_MOST &&
      scopes_write_closure(CLOSURE_KEY(number), description, kind, bytes))
    return CENTRE_ADDRESS(CLOSURE_KEY(number));
  storage_count_drop(DROP_FUNCTIONS);
  return 0;
}

/* Its number; 0: it was not given out, which is counted. */
static uint32_t number_of(uint64_t closure) {
  uint64_t number = closure - CENTRE_ADDRESS(CLOSURE_KEY(0));
  if (!closure) return 0; /* it had no room when it was defined */
  if (number && number <= __atomic_load_n(&given.closures, __ATOMIC_RELAXED) &&
      number < CLOSURES_MOST)
    return (uint32_t)number;
  storage_count_drop(DROP_POINTS);
  return 0;
}

static uint32_t known_centre(uint32_t centre) {
  if (!centre || storage_may_be_context(centre)) return centre;
  storage_count_drop(DROP_POINTS);
  return 0;
}

void closures_allocated(struct thread_state *thread, uint64_t closure, uint32_t centre) {
  uint32_t number = number_of(closure), from = known_centre(centre);
  if (!number || machine_known(thread, from, closure, 0)) return;
  if (machine_add(thread, from, closure, 0, CLOSURE_ID(number)))
    entry_series_add(thread, from, closure);
}

/* ---- censuses ---- */

static struct census *census_of(struct thread_state *thread) {
  if (!thread->census) thread->census = system_memory(sizeof *thread->census);
  return thread->census;
}

static void add_row(const struct thread_state *thread, uint32_t from, uint32_t closure,
                    uint64_t count) {
  struct census *census = thread->census;
  struct recorded_census row = {census->number, census->slice, from, closure, count};
  if (!storage_append(&census->block, BLOCK_CENSUSES, thread->number, &row, sizeof row))
    census->is_cut = true;
}

/* Of a census that had no end, or of one in a pause. */
static bool forget(struct thread_state *thread, const struct ascribe_slot *slot, uint32_t count) {
  (void)thread, (void)slot, (void)count;
  return true;
}

static bool log_closures(struct thread_state *thread, const struct ascribe_slot *slot,
                         uint32_t count) {
  add_row(thread, slot->from, slot->to, count);
  return true;
}

static void look(struct thread_state *thread, struct census *census, watched_log log) {
  census->table = thread->table;
  watched_slots_look(&census->slots, thread, log);
}

void closures_census_add(struct thread_state *thread, uint64_t closure, uint32_t centre) {
  uint32_t number = number_of(closure), from = known_centre(centre);
  uint64_t key = closure | CLOSURE_CENSUS;
  struct census *census = number ? census_of(thread) : NULL;
  if (!census || machine_known(thread, from, key, 0)) return;
  if (!machine_add(thread, from, key, 0, CLOSURE_ID(number)) ||
      !watched_slots_add(&census->slots, thread, from, key))
    census->is_cut = census->lacks_room = true;
  /* What was counted in a table that was replaced is lost with the next one. */
  if (census->table != thread->table) look(thread, census, census->number ? log_closures : forget);
}

void closures_census_begin(struct thread_state *thread) {
  struct census *census = census_of(thread);
  if (!census) return;
  census->number = 0;
  if (thread->paused) return;
  look(thread, census, forget);
  census->number = __atomic_add_fetch(&given.censuses, 1, __ATOMIC_RELAXED);
  census->slice = slices_at(time_stamp());
  census->is_cut = census->lacks_room;
  add_row(thread, 0, CENSUS_BEGINS, 0);
}

void closures_census_end(struct thread_state *thread) {
  struct census *census = census_of(thread);
  if (!census || thread->paused) return;
  if (!census->number) {
    storage_count_drop(DROP_CENSUSES);
    return;
  }
  census->slice = slices_at(time_stamp());
  look(thread, census, log_closures);
  if (!census->is_cut) add_row(thread, 0, CENSUS_ENDS, 0);
  census->number = 0;
}

void closures_census_pause(struct thread_state *thread) {
  if (thread->census) thread->census->is_cut = true;
}
