/* A stack that was walked before: from tick to tick most of its outer frames stay as they were.
 *
 * A frame's stack pointer and return address, its rbp where a rule further out rests on that, and
 * the words of the stack that the rules read from there on outwards tell all of its callers. So a
 * walk may end where it meets a remembered frame and those words are unchanged. They are listed in
 * order, mostly one for each frame; to look all rules up again takes a cache line for each, and so
 * does each step of the caller's machine.
 *
 * All of them are looked at each time, so walks at each level of a recursion take time that grows
 * with the square of its depth. Between two walks any of these frames may have returned, and
 * another have called the same functions at the same places: then only that one word differs, and a
 * walk that leaves it out is wrong. To be told of a return would take a changed return address on
 * the program's stack (Cheng, Harper and Lee, Generational Stack Collection and Profile-Driven
 * Pretenuring, PLDI 1998), which unwinders, debuggers and shadow stacks would meet.
 *
 * Async-signal-safe, general registers only. */
#ifndef ASCRIBE_UNWIND_TRAIL_H
#define ASCRIBE_UNWIND_TRAIL_H

#include "unwind/walk.h"

struct unwind_trail_frame {
  uint64_t rsp, rip, rbp;
  uint64_t loaded;   /* the word at rsp + load_at */
  uint32_t load_at;  /* where the rule finds the caller's frame; all ones: in registers */
  uint32_t rbp_at;   /* and the caller's rbp; all ones: not in memory */
  uint32_t value;    /* the owner's: what this frame and those outside of it have led to */
  uint32_t checks;   /* words of this frame and those outside of it */
  bool tellable;     /* the step to the caller rests on nothing that is not here */
  bool uses_rbp;     /* the rule does */
  bool passes_rbp;   /* the caller's rbp is this one */
  bool rests_on_rbp; /* the rule here, or further out */
};

/* A word of the stack that a frame's callers rest on. */
struct unwind_trail_check {
  uint64_t address, word;
};

/* All zeros: nothing is remembered, nor can be. */
struct unwind_trail {
  uint64_t generation, high;       /* of the space and the memory that it was walked in */
  uint32_t count;                  /* of `kept` */
  uint32_t candidate;              /* the walk at hand may meet kept[candidate - 1] next; 0: none */
  bool closed;                     /* nothing further in is to be kept */
  uint32_t room;                   /* frames in each; further in than that nothing is remembered */
  struct unwind_trail_frame *kept; /* outermost first */
  struct unwind_trail_frame *fresh;  /* as the walk at hand tells them */
  struct unwind_trail_check *checks; /* of kept frames, outermost first */
};

/* What a trail with so much room takes. */
uint64_t unwind_trail_bytes(uint32_t room);

/* The trail goes on in `memory`, unwind_trail_bytes(room) zeros, with more room than before. The
 * memory that it leaves is the caller's: `kept` of before. A handler may jump out at any moment. */
void unwind_trail_enlarge(struct unwind_trail *trail, void *memory, uint32_t room);

/* A walk begins, in memory that is read in place. */
void unwind_trail_begin(struct unwind_trail *trail, uint64_t generation, uint64_t high);

/* The walk that has begun is from a call that will return to `address`, with this stack pointer,
 * inside of the memory, and this rbp. True: it is over, for the call is in kept[count - 1], which
 * is remembered with all outside of it; else it may go on with unwind_trail_walk. */
bool unwind_trail_knows_call(struct unwind_trail *trail, uint64_t address, uint64_t stack,
                             uint64_t rbp);

/* As unwind_walk, but goes on at addresses[*depth], and ends where it meets a frame that is
 * remembered with all outside of it, which may be the first: then UNWIND_STEPPED, and
 * trail->kept[trail->count - 1] is that frame. UNWIND_MORE: call again for more; after any other
 * end nothing older is remembered. */
enum unwind_end unwind_trail_walk(struct unwind_trail *trail, struct unwind_walk *walk,
                                  const struct unwind_space *space,
                                  const struct unwind_memory *memory, uint64_t *addresses,
                                  uint32_t most, uint32_t *depth);

/* The walk has ended. Keep what it has told as addresses[told]: the outermost first, none left out.
 */
void unwind_trail_keep(struct unwind_trail *trail, uint32_t told, uint32_t value);

#endif
