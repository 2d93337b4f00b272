#include "unwind/walk.h"

#include "unwind/entry.h"
#include "unwind/step_row.h"

#include <stddef.h>

#define SWITCHES_MOST 64 /* signal frames and changes of stack: no stack makes a walk endless */

const struct unwind_object *unwind_objects_find(const void *objects, uint64_t address) {
  const struct unwind_objects *all = objects;
  uint64_t low = 0, high = all->count; /* the last that begins at or before the address */
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (all->sorted[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low && address < all->sorted[low - 1].end ? &all->sorted[low - 1] : NULL;
}

static struct unwind_rule find_rule(const struct unwind_space *space, uint64_t place) {
  struct unwind_rule rule;
  uint64_t key = unwind_cache_key(place, space->generation);
  if (unwind_cache_find(space->cache, key, &rule)) return rule;
  const struct unwind_object *object = space->find_object(space->objects, place);
  if (object && object->tables)
    rule = unwind_find_rule(object->tables, place - object->bias);
  else
    rule = (struct unwind_rule){.kind = UNWIND_RULE_CHAIN};
  unwind_cache_keep(space->cache, key, rule);
  return rule;
}

/* With all registers that can be known. */
static enum unwind_end step_completely(struct unwind_frame *frame, const struct unwind_space *space,
                                       const struct unwind_memory *memory) {
  uint64_t place = unwind_frame_place(frame);
  const struct unwind_object *object = space->find_object(space->objects, place);
  struct unwind_row row;
  if (!object || !object->tables) return unwind_step_by_frame_pointer(frame, space, memory);
  if (unwind_find_row(object->tables, place - object->bias, &row) != 0)
    return unwind_entries_left_out(object->tables, place - object->bias)
               ? unwind_step_by_frame_pointer(frame, space, memory)
               : UNWIND_NO_RULE;
  return unwind_step_row(object->tables, &row, frame, memory);
}

static void mark_complete(struct unwind_walk *walk) {
  walk->complete = walk->frame;
  walk->since_complete = 0;
}

/* Find the registers that the walk has lost since the last complete frame. */
static void complete(struct unwind_walk *walk, const struct unwind_space *space,
                     const struct unwind_memory *memory) {
  for (; walk->since_complete; walk->since_complete--)
    if (step_completely(&walk->complete, space, memory) != UNWIND_STEPPED) break;
  bool same = walk->complete.registers[UNWIND_RSP] == walk->frame.registers[UNWIND_RSP] &&
              walk->complete.registers[UNWIND_RIP] == walk->frame.registers[UNWIND_RIP];
  if (same) walk->frame = walk->complete;
  mark_complete(walk);
}

static enum unwind_end step_slowly(struct unwind_walk *walk, const struct unwind_space *space,
                                   const struct unwind_memory *memory) {
  complete(walk, space, memory);
  enum unwind_end end = step_completely(&walk->frame, space, memory);
  if (end == UNWIND_STEPPED) mark_complete(walk);
  return end;
}

/* Code that was made at run time has no tables.  A routine that the tables of its object leave out
 * might do anything with its frame pointer, and has no such rule. */
static enum unwind_end step_without_tables(struct unwind_walk *walk,
                                           const struct unwind_space *space,
                                           const struct unwind_memory *memory) {
  enum unwind_end end = unwind_step_by_frame_pointer(&walk->frame, space, memory);
  if (end == UNWIND_STEPPED) walk->guessed = true;
  walk->since_complete++;
  return end;
}

enum unwind_end unwind_walk_step(struct unwind_walk *walk, const struct unwind_space *space,
                                 const struct unwind_memory *memory, struct unwind_rule *followed) {
  struct unwind_rule rule = find_rule(space, unwind_frame_place(&walk->frame));
  uint64_t sp = walk->frame.registers[UNWIND_RSP];
  enum unwind_end end = unwind_step(rule, &walk->frame, memory);
  *followed = rule;
  if (end == UNWIND_NEEDS_ROW || end == UNWIND_UNKNOWN_REGISTER)
    end = step_slowly(walk, space, memory);
  else if (rule.kind == UNWIND_RULE_CHAIN)
    end = step_without_tables(walk, space, memory);
  else
    walk->since_complete++;
  if (end != UNWIND_STEPPED) return end;
  if (walk->frame.exact) mark_complete(walk);
  if (walk->frame.exact || walk->frame.registers[UNWIND_RSP] <= sp) walk->switches++;
  return walk->switches <= SWITCHES_MOST ? UNWIND_STEPPED : UNWIND_NOT_PROGRESSING;
}

void unwind_walk_begin(struct unwind_walk *walk, const struct unwind_frame *innermost) {
  walk->frame = *innermost;
  walk->switches = 0;
  walk->guessed = false;
  mark_complete(walk);
}

static void set_known(struct unwind_frame *frame, uint64_t address, uint64_t stack, uint64_t rbp) {
  frame->registers[UNWIND_RIP] = address;
  frame->registers[UNWIND_RSP] = stack;
  frame->registers[UNWIND_RBP] = rbp;
  frame->known = 1u << UNWIND_RIP | 1u << UNWIND_RSP | 1u << UNWIND_RBP;
  frame->exact = false;
}

/* Nobody reads registers that are not known: this is called for each allocation, and does not
 * clear them. */
void unwind_walk_begin_at_call(struct unwind_walk *walk, uint64_t address, uint64_t stack,
                               uint64_t rbp) {
  set_known(&walk->frame, address, stack, rbp);
  set_known(&walk->complete, address, stack, rbp);
  walk->since_complete = 0;
  walk->switches = 0;
  walk->guessed = false;
}

enum unwind_end unwind_walk(struct unwind_walk *walk, const struct unwind_space *space,
                            const struct unwind_memory *memory, uint64_t *addresses, uint32_t most,
                            uint32_t *count) {
  enum unwind_end end = UNWIND_STEPPED;
  struct unwind_rule rule;
  uint32_t told = 0;
  for (; told < most && end == UNWIND_STEPPED; told++) {
    addresses[told] = unwind_walk_address(walk);
    end = unwind_walk_step(walk, space, memory, &rule);
  }
  *count = told;
  return end == UNWIND_STEPPED ? UNWIND_MORE : end;
}
