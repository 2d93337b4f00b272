/* Sampled stacks, which the recording keeps as return addresses, in terms of functions: inlined
 * calls become frames, and the frames around the program's own start go. */
#ifndef ASCRIBE_ATTRIBUTION_STACK_FRAMES_H
#define ASCRIBE_ATTRIBUTION_STACK_FRAMES_H

#include "attribution/tail_calls/skipped_frames.h"

/* A stack: its history, in the functions of the profile, and all of its frames. */
struct frame_list {
  uint32_t *entries;
  uint32_t length;
  uint32_t stack; /* of the profile: the lines of the calls, and where some may be missing */
  bool begins;    /* the program's first function may be the next one */
  uint32_t call;  /* the place of the innermost call; NOTHING: what it entered is not the next */
};

struct stack_frames {
  struct places *places;
  struct profile *profile;
  struct skipped_frames skipped;
  bool puts_back; /* skipped frames: those of hooks' calls are put back by tail_calls.h */
  struct frame_list *contexts; /* by context of the process at hand; entries null: not yet */
  const struct process_recording *process;
};

void stack_frames_open(struct stack_frames *frames, struct places *places);
void stack_frames_close(struct stack_frames *frames);

/* From here on contexts are those of `process`, until the next call or stack_frames_leave. */
void stack_frames_enter(struct stack_frames *frames, const struct process_recording *process);
void stack_frames_leave(struct stack_frames *frames);

/* The frames of a recorded context of a sampled stack. Valid until the process is left. */
const struct frame_list *stack_frames_of(struct stack_frames *frames, uint32_t context);

/* Whether a thread (of the process at hand) begins with this function, near its outermost frame:
 * what lies outside of it is libc's and the loader's. */
bool stack_frames_starts(const struct stack_frames *frames, uint32_t thread, uint32_t function);

/* The frames that are missing between the call at a place, or NOTHING, and the function that runs
 * at `entered`, as skipped_frames_find tells. */
const struct place_frame *stack_frames_skipped(struct stack_frames *frames, uint32_t call,
                                               uint32_t entered, uint32_t *count);

#endif
