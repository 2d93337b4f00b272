#include "attribution/stack_path.h"

#include <stdlib.h>

#include "attribution/dropped_frames.h"
#include "base/memory.h"
#include "recording/history.h"

static void append(struct stack_path *path, struct path_frame frame) {
  ARRAY_GROW(path->frames, path->length);
  path->frames[path->length++] = frame;
}

static struct path_frame frame_at(const struct profile *profile, uint32_t line) {
  uint32_t function = line == NOTHING ? PATH_HOLE : profile->lines[line].function;
  return (struct path_frame){.function = function, .line = line};
}

/* From the innermost frame out. */
static void append_caller(struct stack_path *path, struct path_frame frame) {
  struct path_frame *inner = &path->frames[path->length - 1];
  if (inner->function == frame.function)
    inner->folded = true;
  else
    append(path, frame);
}

static void turn_around(struct stack_path *path) {
  for (size_t i = 0, k = path->length; i + 1 < k; i++) {
    struct path_frame outer = path->frames[--k];
    path->frames[k] = path->frames[i];
    path->frames[i] = outer;
  }
}

void stack_path_of_stack(struct stack_path *path, const struct profile *profile, uint32_t stack,
                         uint32_t line) {
  path->length = 0;
  append(path, frame_at(profile, line));
  for (uint32_t at = stack; profile->stacks[at].parent != NOTHING; at = profile->stacks[at].parent)
    append_caller(path, frame_at(profile, profile->stacks[at].line));
  turn_around(path);
}

static bool lacks_frames(struct stack_path *path, const struct profile *profile,
                         uint32_t context_id) {
  const struct profile_context *context = &profile->contexts[context_id];
  if (stack_is_whole(context->history, context->length)) return false;
  if (path->contexts != profile->contexts) {
    free(path->dropped);
    path->dropped = dropped_frames_of(profile);
    path->contexts = profile->contexts;
  }
  return path->dropped[context_id];
}

void stack_path_of_context(struct stack_path *path, const struct profile *profile,
                           uint32_t context_id) {
  const struct profile_context *context = &profile->contexts[context_id];
  bool holes = lacks_frames(path, profile, context_id);
  path->length = 0;
  for (uint32_t i = 0; i < context->length; i++) {
    uint32_t entry = context->history[i];
    if (holes && history_has_hole(context->history, i)) append(path, frame_at(profile, NOTHING));
    append(path, (struct path_frame){.function = history_function(entry),
                                     .line = NOTHING,
                                     .folded = !history_marked(entry)});
  }
}

void stack_path_of_tick(struct stack_path *path, const struct profile *profile,
                        const struct profile_tick *tick) {
  if (tick->stack != NOTHING && tick->line != NOTHING)
    stack_path_of_stack(path, profile, tick->stack, tick->line);
  else
    stack_path_of_context(path, profile, tick->context);
}

void stack_path_free(struct stack_path *path) {
  free(path->frames);
  free(path->dropped);
  *path = (struct stack_path){0};
}
