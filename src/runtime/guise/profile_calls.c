#include "runtime/guise/profile_calls.h"

#include "runtime/contexts/machine.h"
#include "runtime/life/thread_life.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/ticks.h"

#include <link.h>

#define EXPORTED __attribute__((visibility("default")))

static struct thread_state *owner_of(struct ascribe_cell *cell) {
  uint64_t owner = cell->gate->owner;
  if (owner) return owner == ASCRIBE_STANDBY ? NULL : (struct thread_state *)owner;
  if (process_is_recording()) return thread_life_attach(cell);
  cell->gate = &ascribe_inert_gate;
  return NULL;
}

/* Its object may have been loaded just now, and be gone before a tick sees it. */
static void count_first(struct thread_state *thread, uint64_t callee, uint64_t site) {
  uint64_t signals;
  system_block_signals(&signals);
  objects_see(callee);
  system_unblock_signals(&signals);
  machine_count_first(thread, callee, site);
  struct recording_header *header = storage_header();
  if (!(header->hooks & HOOKS_PG)) __atomic_fetch_or(&header->hooks, HOOKS_PG, __ATOMIC_RELAXED);
}

__attribute__((used)) void ascribe_profile_call(uint64_t callee, uint64_t site) {
  struct thread_state *thread = owner_of(&ascribe_cell);
  if (thread && !machine_count(thread, callee, site)) count_first(thread, callee, site);
}

/* What the start files of -pg programs call, and programs themselves, for libc's own counting: its
 * clock does not start, its tables are not made, and no gmon.out is written.  What is asked for is
 * done: a program that stops its profile has a pause. Which code is to be counted is not heeded:
 * all is. Declared as in libc. */
EXPORTED void __monstartup(unsigned long low, unsigned long high);
void __monstartup(unsigned long low, unsigned long high) {
  (void)low, (void)high;
  if (!process_is_recording()) return;
  __atomic_fetch_or(&storage_header()->hooks, HOOKS_PG, __ATOMIC_RELAXED);
  ticks_pause(false);
}
EXPORTED void monstartup(unsigned long low, unsigned long high)
    __attribute__((alias("__monstartup")));
EXPORTED void moncontrol(int mode);
void moncontrol(int mode) {
  if (process_is_recording()) ticks_pause(mode == 0);
}

struct two_addresses {
  uint64_t first, second;
};

static bool holds(const struct dl_phdr_info *object, uint64_t address) {
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_LOAD &&
        address - object->dlpi_addr - object->dlpi_phdr[i].p_vaddr < object->dlpi_phdr[i].p_memsz)
      return true;
  return false;
}

static int hold_both(struct dl_phdr_info *object, size_t bytes, void *argument) {
  const struct two_addresses *addresses = argument;
  return holds(object, addresses->first) && holds(object, addresses->second);
}

/* At exit libc itself calls this, which the start files have asked it to: what comes after that,
 * such as destructors, is the program's all the same. */
EXPORTED void _mcleanup(void);
void _mcleanup(void) {
  struct two_addresses addresses = {(uint64_t)__builtin_return_address(0),
                                    (uint64_t)dl_iterate_phdr};
  if (!dl_iterate_phdr(hold_both, &addresses)) moncontrol(0);
}
