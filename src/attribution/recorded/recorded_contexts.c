#include "attribution/recorded/recorded_contexts.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "recording/history.h"

static uint32_t *scratch(struct recorded_contexts *contexts, size_t length) {
  ARRAY_ROOM(contexts->scratch, length);
  return contexts->scratch;
}

static uint32_t translate(const struct recorded_functions *functions,
                          const struct context_entry *recorded, uint32_t *history) {
  bool fold = false;
  for (uint32_t i = 0; i < recorded->length; i++) {
    uint32_t function = history_function(recorded->history[i]);
    fold |= functions->shared[function];
    history[i] =
        history_entry(functions->functions[function], history_marked(recorded->history[i]));
  }
  return fold ? history_fold(history, recorded->length) : recorded->length;
}

uint32_t recorded_contexts_find(struct recorded_contexts *contexts, uint32_t recorded_id) {
  uint32_t *id = &contexts->ids[recorded_id];
  if (*id != NOTHING) return *id;
  const struct context_entry *recorded = &contexts->process->contexts[recorded_id];
  uint32_t *history = scratch(contexts, recorded->length + 2);
  uint32_t length = translate(contexts->functions, recorded, history);
  if (recorded->flags & CONTEXT_OVERFLOW) {
    history[0] = history_entry(places_overflow(contexts->places), true);
    length = 1;
  }
  *id = context_intern(&contexts->places->builder->contexts,
                       contexts->first_thread + recorded->thread, history, length);
  return *id;
}

uint32_t recorded_contexts_below(struct recorded_contexts *contexts, uint32_t context_id,
                                 uint32_t function) {
  const struct profile_context *context = &contexts->places->profile->contexts[context_id];
  if (history_is_running(context->history, context->length, function)) return context_id;
  uint32_t *history = scratch(contexts, context->length + 1);
  uint32_t length = history_step(context->history, context->length, function, history);
  return context_intern(&contexts->places->builder->contexts, context->thread, history, length);
}

/* One more than where the history has the function last; 0: nowhere. */
static uint32_t innermost(const uint32_t *history, uint32_t length, uint32_t function) {
  while (length > 0 && history_function(history[length - 1]) != function)
    length--;
  return length;
}

/* The entry at `last` is taken off: rule A3 had unmarked an older one of its function. */
static void mark_older(uint32_t *history, uint32_t last) {
  uint32_t function = history_function(history[last]);
  uint32_t older = innermost(history, last, function);
  if (older > 0) history[older - 1] = history_entry(function, true);
}

uint32_t recorded_contexts_at(struct recorded_contexts *contexts, uint32_t context_id,
                              uint32_t function) {
  const struct profile_context *context = &contexts->places->profile->contexts[context_id];
  uint32_t at = innermost(context->history, context->length, function);
  if (at == 0 || at == context->length)
    return recorded_contexts_below(contexts, context_id, function);
  uint32_t length = context->length, *history = scratch(contexts, length);
  memcpy(history, context->history, length * sizeof *history);
  while (length > at)
    mark_older(history, --length);
  history[at - 1] = history_entry(function, true);
  return context_intern(&contexts->places->builder->contexts, context->thread, history, length);
}

uint32_t recorded_contexts_of_stack(struct recorded_contexts *contexts, uint32_t recorded_id) {
  const struct frame_list *stack = stack_frames_of(contexts->frames, recorded_id);
  uint32_t *history = scratch(contexts, stack->length);
  if (stack->length) memcpy(history, stack->entries, stack->length * sizeof *history);
  uint32_t thread = contexts->first_thread + contexts->process->contexts[recorded_id].thread;
  return context_intern(&contexts->places->builder->contexts, thread, history,
                        history_fold(history, stack->length));
}

void recorded_contexts_open(struct recorded_contexts *contexts, struct places *places,
                            struct stack_frames *frames) {
  *contexts = (struct recorded_contexts){.places = places, .frames = frames};
}

void recorded_contexts_close(struct recorded_contexts *contexts) {
  free(contexts->scratch);
}

void recorded_contexts_enter(struct recorded_contexts *contexts,
                             const struct recorded_functions *functions, uint32_t first_thread) {
  contexts->process = contexts->places->process;
  contexts->functions = functions;
  contexts->first_thread = first_thread;
  size_t size = contexts->process->context_count * sizeof *contexts->ids;
  contexts->ids = memory_resized(NULL, contexts->process->context_count, sizeof *contexts->ids);
  memset(contexts->ids, 0xff, size);
}

void recorded_contexts_leave(struct recorded_contexts *contexts) {
  free(contexts->ids);
  contexts->ids = NULL;
  contexts->process = NULL;
  contexts->functions = NULL;
}
