/* The part of the hooks of `-finstrument-functions` that lives in the runtime: the stacks of
 * frames for include/ascribe/hooks_inline.h, and hooks for compilers that call them.
 *
 * Called hooks are weak: a program may bring its own.  Their callers keep frame pointers
 * (ascribe cc sees to it), so that a frame's address is known. */
#include "runtime/registry/cell.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/thread_state.h"

#include "runtime/contexts/called_hooks.h"

#define FRAMES (1u << 20) /* per thread; the pages are touched as the stack grows */

/* The mapping behind ascribe_frames. */
struct frames_memory {
  struct ascribe_frames frames;
  struct ascribe_frame bottom; /* its address marks the end */
  struct ascribe_frame room[FRAMES];
};

/* ASCRIBE_STANDBY, too, while the loader relocates: then ifunc resolvers run, and thread-local
 * variables have no values yet. */
static uint64_t owner_of_cell(void) {
  const struct ascribe_gate *gate = ascribe_cell.gate;
  return gate ? gate->owner : ASCRIBE_STANDBY;
}

static struct thread_state *recording_thread(void) {
  uint64_t owner = owner_of_cell();
  return owner > ASCRIBE_STANDBY ? (struct thread_state *)owner : NULL;
}

void ascribe_frames_grow_call(void) {
  struct thread_state *thread = recording_thread();
  if (!thread || ascribe_frames) return;
  struct frames_memory *memory = thread->frames;
  if (!memory) {
    memory = system_memory(sizeof(*memory));
    if (!memory) return;
    thread->frames = memory;
  }
  memory->bottom.address = ~0ul;
  memory->frames.limit = memory->room + FRAMES;
  memory->frames.top = memory->room;
  ascribe_frames = &memory->frames;
}

static void note_way(void) {
  struct recording_header *header = recording_thread() ? storage_header() : NULL;
  if (header && !(header->hooks & HOOKS_CONTEXTS_CALLED))
    __atomic_fetch_or(&header->hooks, HOOKS_CONTEXTS_CALLED, __ATOMIC_RELAXED);
}

/* The frame address of the function that called a hook, whose own frame `here` starts with the
 * frame pointer of that function: where this points lie a saved one and the return address, `site`.
 * 0: it keeps none (a plain compiler's code), so that nothing tells its frames apart. */
static uint64_t callers_frame(uint64_t here, uint64_t site) {
  const struct thread_state *thread = recording_thread();
  uint64_t address = *(uint64_t *)here + 16;
  if (address <= here || address - here >= __ASCRIBE_NEAR) return 0;
  if (!thread || here < thread->stack_low || here >= thread->stack_high) return address;
  bool is_own = address <= thread->stack_high && *(uint64_t *)(address - sizeof site) == site;
  return is_own ? address : 0;
}

#define CALLERS_FRAME_ADDRESS(site)                                                                \
  callers_frame((uint64_t)__builtin_frame_address(0), (uint64_t)(site))

__attribute__((weak, visibility("default"))) void __cyg_profile_func_enter(void *callee,
                                                                           void *site) {
  uint64_t frame = owner_of_cell() == ASCRIBE_STANDBY ? 0 : CALLERS_FRAME_ADDRESS(site);
  if (!frame) return;
  __ascribe_enter((uint64_t)callee, (uint64_t)site, frame);
  note_way();
}

__attribute__((weak, visibility("default"))) void __cyg_profile_func_exit(void *callee,
                                                                          void *site) {
  uint64_t frame = CALLERS_FRAME_ADDRESS(site);
  if (frame) __ascribe_exit((uint64_t)callee, frame);
}
