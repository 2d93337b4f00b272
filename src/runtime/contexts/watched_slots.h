/* Slots of a thread's table of transitions whose counts are looked at again and again: what each
 * has counted since the last look. They are counted by one instruction, which knows no time. */
#ifndef ASCRIBE_RUNTIME_WATCHED_SLOTS_H
#define ASCRIBE_RUNTIME_WATCHED_SLOTS_H

#include "runtime/registry/thread_state.h"

struct watched_chunk;

#define WATCHED_CHUNKS 48 /* a look takes time: 8160 slots */
#define WATCHED_INDEX (1u << 14)

/* All zeros at first. */
struct watched_slots {
  struct watched_chunk *chunks[WATCHED_CHUNKS];
  uint32_t index[WATCHED_INDEX]; /* by hash: the number of a place, from 1; atomic */
  uint32_t chunk_count;
};

/* The thread counts with this key from there for the first time, which may be said again. False: no
 * room. Any moment of the thread. */
bool watched_slots_add(struct watched_slots *watched, struct thread_state *thread, uint32_t from,
                       uint64_t key);

/* Gives `log` the slots that have counted since the last look, and how much; where it returns
 * false, the next look gives it again. The same slot may come twice. Owner thread; not from within
 * itself. */
typedef bool (*watched_log)(struct thread_state *thread, const struct ascribe_slot *slot,
                            uint32_t count);
void watched_slots_look(struct watched_slots *watched, struct thread_state *thread,
                        watched_log log);

#endif
