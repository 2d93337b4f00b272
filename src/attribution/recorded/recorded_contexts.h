/* The contexts of a recording, in terms of the profile: addresses become functions, and code
 * without hooks is stepped below the context in which ticks found it. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_CONTEXTS_H
#define ASCRIBE_ATTRIBUTION_RECORDED_CONTEXTS_H

#include "attribution/recorded/recorded_functions.h"
#include "attribution/recorded/stack_frames.h"

struct recorded_contexts {
  struct places *places;
  struct stack_frames *frames;
  uint32_t *scratch; /* a history being made */
  /* of the process at hand */
  const struct process_recording *process;
  const struct recorded_functions *functions;
  uint32_t first_thread; /* of the profile */
  uint32_t *ids;         /* recorded context -> context, or NOTHING */
};

/* The contexts go to the profile of `places`. */
void recorded_contexts_open(struct recorded_contexts *contexts, struct places *places,
                            struct stack_frames *frames);
void recorded_contexts_close(struct recorded_contexts *contexts);

/* From here on, until recorded_contexts_leave, contexts are those of the process that places_enter
 * and stack_frames_enter were called with. `functions` must outlive that. */
void recorded_contexts_enter(struct recorded_contexts *contexts,
                             const struct recorded_functions *functions, uint32_t first_thread);
void recorded_contexts_leave(struct recorded_contexts *contexts);

/* The context that a recorded one became.  Only contexts that something happened in are kept:
 * forked children carry all of their parent's. */
uint32_t recorded_contexts_find(struct recorded_contexts *contexts, uint32_t recorded);

/* The same of a sampled stack, which no tick is in. */
uint32_t recorded_contexts_of_stack(struct recorded_contexts *contexts, uint32_t recorded);

/* The context below `context` in which `function` runs, by the same rules as any call. */
uint32_t recorded_contexts_below(struct recorded_contexts *contexts, uint32_t context,
                                 uint32_t function);

/* The context of a tick that fell in `function` while `context` was the running one: below it or,
 * if the history has `function` further out, that one's. Around a call the caller runs in the
 * callee's context for a few instructions (include/ascribe/hook.h). */
uint32_t recorded_contexts_at(struct recorded_contexts *contexts, uint32_t context,
                              uint32_t function);

#endif
