#include "runtime/registry/process_state.h"

#include "runtime/registry/cell.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"

static int recording;    /* atomic: hooks of any thread look at it */
static uint32_t unloads; /* atomic */
static void (*start_child)(struct ascribe_cell *cell);

void process_state_register(void (*starter)(struct ascribe_cell *cell)) {
  start_child = starter;
}

void process_set_recording(bool records) {
  __atomic_store_n(&recording, records, __ATOMIC_RELEASE);
  __atomic_store_n(&ascribe_inert_gate.owner, records ? 0 : ASCRIBE_STANDBY, __ATOMIC_RELEASE);
}

bool process_is_recording(void) {
  if (!__atomic_load_n(&recording, __ATOMIC_ACQUIRE)) return false;
  if (!threads_are_wiped()) return true;
  uint64_t signals;
  system_block_signals(&signals);
  if (threads_begin_child()) {
    start_child(&ascribe_cell);
    threads_end_child();
  }
  system_unblock_signals(&signals);
  return __atomic_load_n(&recording, __ATOMIC_ACQUIRE);
}

uint32_t process_unloads(void) {
  return __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);
}

void process_note_unload(void) {
  __atomic_fetch_add(&unloads, 1, __ATOMIC_RELEASE);
}
