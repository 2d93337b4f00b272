#include "runtime/contexts/entry_series.h"

#include <stddef.h>

#include "runtime/contexts/watched_slots.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/ticks/slices.h"

struct entry_series {
  struct watched_slots slots;
  uint32_t slice; /* of the last tick */
  bool looking;
  struct block_header *block; /* where rows go */
};

static struct entry_series *series_of(struct thread_state *thread) {
  if (thread->entries) return thread->entries;
  struct entry_series *series = system_memory(sizeof *series);
  if (series) series->slice = slices_last();
  return thread->entries = series;
}

void entry_series_add(struct thread_state *thread, uint32_t from, uint64_t key) {
  struct entry_series *series = series_of(thread);
  if (series && !watched_slots_add(&series->slots, thread, from, key))
    storage_note_lack(HINDRANCE_ENTRIES);
}

/* False: no room. */
static bool log_entries(struct thread_state *thread, const struct ascribe_slot *slot,
                        uint32_t entries) {
  struct entry_series *series = thread->entries;
  struct recorded_entries row = {slot->from, slot->to, series->slice, entries};
  return storage_append(&series->block, BLOCK_ENTRIES, thread->number, &row, sizeof row);
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
  watched_slots_look(&series->slots, thread, log_entries);
  series->slice = slice;
  series->looking = false;
}
