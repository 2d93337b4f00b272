/* A stack as it is drawn: all of its frames where it was sampled, the history of a context where
 * only that is known. Figures come from contexts (costs.h), in which each function stands once. */
#ifndef ASCRIBE_ATTRIBUTION_STACK_PATH_H
#define ASCRIBE_ATTRIBUTION_STACK_PATH_H

#include "profile/profile.h"

/* In place of a function: recursion was folded, and frames are missing here. */
enum { PATH_HOLE = UINT32_MAX - 1 };
#define PATH_HOLE_NAME "(recursion)"

struct path_frame {
  uint32_t function; /* or PATH_HOLE */
  uint32_t line;     /* of the profile: where it called the next one, or ran; NOTHING: not known */
  bool folded;       /* there may be more of the function than this frame says: further in, or it
                      * called itself */
};

/* Outermost frame first. A function that called itself has one frame for both. */
struct stack_path {
  struct path_frame *frames;
  size_t length;
  const struct profile_context *contexts; /* that `dropped` is of (dropped_frames.h) */
  bool *dropped;
};

/* Replace what is in the path (at first all zeros), which is to be freed with stack_path_free.
 * `stack` and `line` are as in struct profile_tick, and known. */
void stack_path_of_stack(struct stack_path *path, const struct profile *profile, uint32_t stack,
                         uint32_t line);
void stack_path_of_context(struct stack_path *path, const struct profile *profile,
                           uint32_t context);
void stack_path_of_tick(struct stack_path *path, const struct profile *profile,
                        const struct profile_tick *tick);
void stack_path_free(struct stack_path *path);

#endif
