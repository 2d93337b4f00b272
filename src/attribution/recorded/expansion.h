/* Sampled stacks, which the recording keeps as return addresses, in terms of functions: inlined
 * calls become frames, and the frames around the program's own start go. */
#ifndef ASCRIBE_ATTRIBUTION_EXPANSION_H
#define ASCRIBE_ATTRIBUTION_EXPANSION_H

#include "attribution/tail_calls/skipped_frames.h"

/* The frames of a stack, outermost first, one entry each: history entries, all marked, to which
 * the rules have not been applied yet. */
struct expanded {
  uint32_t *entries;
  uint32_t length;
  uint32_t stack; /* of the profile: the lines of the calls */
  bool begins;    /* the program's first function may be the next one */
  uint32_t call;  /* the place of the innermost call; NOTHING: what it entered is not the next */
};

struct expansion {
  struct places *places;
  struct profile *profile;
  struct skipped_frames skipped;
  bool puts_back; /* skipped frames: those of hooks' calls are put back by tail_calls.h */
  struct expanded *contexts; /* by context of the process at hand; entries null: not yet */
  const struct process_recording *process;
};

void expansion_open(struct expansion *expansion, struct places *places);
void expansion_close(struct expansion *expansion);

/* From here on contexts are those of `process`, until the next call or expansion_leave. */
void expansion_enter(struct expansion *expansion, const struct process_recording *process);
void expansion_leave(struct expansion *expansion);

/* The frames of a recorded context of a sampled stack. Valid until the process is left. */
const struct expanded *expansion_of(struct expansion *expansion, uint32_t context);

/* Whether a thread (of the process at hand) begins with this function, near its outermost frame:
 * what lies outside of it is libc's and the loader's. */
bool expansion_starts(const struct expansion *expansion, uint32_t thread, uint32_t function);

/* The frames that are missing between the call at a place, or NOTHING, and the function that runs
 * at `entered`, as skipped_frames_find tells. */
const struct place_frame *expansion_skipped(struct expansion *expansion, uint32_t call,
                                            uint32_t entered, uint32_t *count);

#endif
