#include "outside/sampled_stack.h"

#include <stdlib.h>

#include "base/memory.h"
#include "outside/file_fault.h"
#include "recording/system_call.h"
#include "unwind/entry.h"

enum { CACHE_SLOTS = 1 << 16 };

struct sampled_stack *sampled_stack_new(void) {
  struct sampled_stack *stack = memory_zeroed(1, sizeof *stack);
  struct unwind_cache_slot *slots = memory_zeroed(CACHE_SLOTS, sizeof *slots);
  stack->cache = (struct unwind_cache){.slots = slots, .mask = CACHE_SLOTS - 1};
  return stack;
}

void sampled_stack_free(struct sampled_stack *stack) {
  if (stack) free(stack->cache.slots);
  free(stack);
}

struct search {
  struct sampled_stack *stack;
  const struct address_space *space;
  const struct kernel_sample *sample;
};

static uint64_t kernel_pc(const struct address_space *space, uint64_t address) {
  for (uint64_t bytes = SYSTEM_CALL_BYTES; bytes >= 2; bytes--) {
    const uint8_t *code = address_space_code_before(space, address, bytes);
    if (code) return system_call_pc(code + bytes, bytes);
  }
  return PC_INTERRUPT;
}

static void walk(void *context) {
  const struct search *search = context;
  struct sampled_stack *stack = search->stack;
  const struct kernel_sample *sample = search->sample;
  uint64_t sp = sample->frame.registers[UNWIND_RSP];
  struct unwind_objects objects = {search->space->code, search->space->count};
  struct unwind_space space = {.find_object = unwind_objects_find,
                               .objects = &objects,
                               .cache = &stack->cache,
                               .generation = search->space->generation};
  struct unwind_memory memory = {
      .low = sp, .high = sp + sample->stack_bytes, .bytes = sample->stack};
  struct unwind_walk state;
  if (sample->in_kernel)
    stack->kernel_pc = kernel_pc(search->space, sample->frame.registers[UNWIND_RIP]);
  unwind_walk_begin(&state, &sample->frame);
  stack->complete = unwind_walk(&state, &space, &memory, stack->addresses, SAMPLED_FRAMES_MOST,
                                &stack->depth) == UNWIND_OUTERMOST;
}

void sampled_stack_find(struct sampled_stack *stack, const struct address_space *space,
                        const struct kernel_sample *sample) {
  struct search search = {stack, space, sample};
  stack->kernel_pc = PC_INTERRUPT;
  if (file_fault_guard(walk, &search)) return;
  stack->addresses[0] = sample->frame.registers[UNWIND_RIP] | UNWIND_EXACT;
  stack->depth = 1;
  stack->complete = false;
}

/* ---- the start of a thread ---- */

struct start_search {
  const struct address_space *space;
  uint64_t place; /* an address in the function */
  uint64_t found;
};

static void find_entry(void *context) {
  struct start_search *search = context;
  uint32_t at = address_space_find(search->space, search->place);
  if (at == NOTHING) return;
  const struct unwind_object *object = &search->space->code[at];
  struct unwind_entry entry;
  if (object->tables &&
      unwind_entry_find(object->tables, search->place - object->bias, &entry) == 0)
    search->found = entry.begin + object->bias;
}

static const struct object_file *file_at(const struct address_space *space, uint64_t address) {
  uint32_t at = address_space_find(space, address);
  return at == NOTHING ? NULL : space->mapped[at].file;
}

uint64_t sampled_stack_start(const struct sampled_stack *stack, const struct address_space *space) {
  if (!stack->complete || stack->depth < 2) return 0;
  const struct object_file *library = file_at(space, stack->addresses[stack->depth - 1] - 1);
  for (uint32_t i = stack->depth - 1; library && i-- > 0;) {
    struct start_search search = {space, (stack->addresses[i] & ~UNWIND_EXACT) -
                                             !(stack->addresses[i] & UNWIND_EXACT)};
    const struct object_file *file = file_at(space, search.place);
    if (file == library) continue;
    return file && file_fault_guard(find_entry, &search) ? search.found : 0;
  }
  return 0;
}
