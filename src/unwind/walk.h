/* A whole stack: its return addresses, innermost first.
 *
 * Async-signal-safe, general registers only; needs about 1 KB of stack. */
#ifndef ASCRIBE_UNWIND_WALK_H
#define ASCRIBE_UNWIND_WALK_H

#include "unwind/rule_cache.h"
#include "unwind/step.h"

/* Executable memory at [start, end). `tables` is null where there are none: code that was made at
 * run time, or an object without .eh_frame. */
struct unwind_object {
  uint64_t start, end;
  uint64_t bias; /* unwind_tables_bias */
  const struct unwind_tables *tables;
};

/* The object that holds `address`, or null. */
typedef const struct unwind_object *unwind_find_object(const void *objects, uint64_t address);

/* An unwind_find_object over an array that is sorted by address. */
struct unwind_objects {
  const struct unwind_object *sorted;
  uint64_t count;
};
const struct unwind_object *unwind_objects_find(const void *objects, uint64_t address);

/* What lies where in a process. */
struct unwind_space {
  unwind_find_object *find_object;
  const void *objects;
  struct unwind_cache *cache;
  uint64_t generation; /* of the objects: a new number whenever they change */
};

struct unwind_walk {
  struct unwind_frame frame; /* the next one to tell */
  /* Where the frame's other registers are lost and a rule needs one, they are found by walking once
   * more, with all registers, from the last frame that had them. */
  struct unwind_frame complete;
  uint32_t since_complete; /* frames */
  uint32_t switches;       /* how often the walk has left a stack; bounded */
  bool guessed;            /* some caller was found by the frame pointer, in code without tables */
};

void unwind_walk_begin(struct unwind_walk *walk, const struct unwind_frame *innermost);

/* The same where little is known: what was called will return to `address`, with this stack pointer
 * and this rbp. */
void unwind_walk_begin_at_call(struct unwind_walk *walk, uint64_t address, uint64_t stack,
                               uint64_t rbp);

/* In addresses told: the frame was interrupted at this very instruction (innermost, or below a
 * signal handler); in the others the call stands before the return address. */
#define UNWIND_EXACT ((uint64_t)1 << 63)

/* Write at most `most` addresses; their number goes to *count. UNWIND_MORE: call again for more.
 * Any other result is the end of the walk; all but UNWIND_OUTERMOST say that the stack is cut. */
enum unwind_end unwind_walk(struct unwind_walk *walk, const struct unwind_space *space,
                            const struct unwind_memory *memory, uint64_t *addresses, uint32_t most,
                            uint32_t *count);

/* Go to the caller of walk->frame, by *rule, or, where that is not enough, with all registers. */
enum unwind_end unwind_walk_step(struct unwind_walk *walk, const struct unwind_space *space,
                                 const struct unwind_memory *memory, struct unwind_rule *rule);

/* The address of walk->frame, as it is reported. */
static inline uint64_t unwind_walk_address(const struct unwind_walk *walk) {
  return walk->frame.registers[UNWIND_RIP] | (walk->frame.exact ? UNWIND_EXACT : 0);
}

/* Make *frame its caller's by the frame pointer: for code that was made at run time. Believed only
 * where rbp lies in [low, high) of the memory, not below rsp, and the return address in an object
 * of the space; else UNWIND_NO_RULE. unwind_walk does this in code without tables by itself. */
enum unwind_end unwind_step_by_frame_pointer(struct unwind_frame *frame,
                                             const struct unwind_space *space,
                                             const struct unwind_memory *memory);

#endif
