#include "attribution/recorded/stack_ticks.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "recording/history.h"

static uint32_t *room_for(struct stack_ticks *ticks, size_t length) {
  ARRAY_ROOM(ticks->history, length);
  return ticks->history;
}

/* Put frames below what stands in the history and the tick's stack. */
static uint32_t append(struct stack_ticks *ticks, uint32_t length, const struct place_frame *frames,
                       uint32_t count, struct profile_tick *tick) {
  struct profile_builder *builder = ticks->frames->places->builder;
  for (uint32_t i = 0; i < count; i++) {
    const struct place_frame *frame = &frames[i];
    ticks->history[length++] = history_entry(frame->function, true);
    if (tick->line != NOTHING) tick->stack = builder_stack(builder, tick->stack, tick->line);
    tick->line = builder_line(builder, frame->function, frame->file, frame->line);
  }
  return length;
}

struct profile_tick stack_tick_find(struct stack_ticks *ticks, uint32_t thread, uint32_t recorded,
                                    uint32_t place) {
  struct stack_frames *own = ticks->frames;
  struct profile_builder *builder = own->places->builder;
  const struct frame_list none = {.stack = builder_stack(builder, NOTHING, NOTHING),
                                  .call = NOTHING};
  struct frame_list outer = none;
  if (recorded != NOTHING) outer = *stack_frames_of(own, recorded);
  uint32_t count, skipped_count, of_process = 0;
  if (recorded != NOTHING) of_process = own->process->contexts[recorded].thread;
  const struct place_frame *frames = places_frames(own->places, place, &count);
  if (outer.begins && stack_frames_starts(own, of_process, frames[0].function)) outer = none;
  const struct place_frame *skipped = stack_frames_skipped(own, outer.call, place, &skipped_count);
  uint32_t *history = room_for(ticks, (size_t)outer.length + skipped_count + count);
  struct profile_tick tick = {
      .line = NOTHING, .stack = outer.stack, .centre = NOTHING, .kind = NOTHING};
  if (outer.length) memcpy(history, outer.entries, outer.length * sizeof *history);
  uint32_t length = append(ticks, outer.length, skipped, skipped_count, &tick);
  frames = places_frames(own->places, place, &count);
  length = append(ticks, length, frames, count, &tick);
  places_explain_cuts(own->places, history, length);
  length = history_fold(history, length);
  tick.context = context_intern(&builder->contexts, thread, history, length);
  return tick;
}

/* How a pool tells of its blocks is in the header, and a part of the function that does. */
static bool is_of_header(const struct profile *profile, uint32_t function) {
  return strcmp(profile->functions[function].name, "ascribe_pool_allocated") == 0;
}

struct profile_tick stack_tick_of_call(struct stack_ticks *ticks, uint32_t thread,
                                       uint32_t recorded) {
  const struct frame_list *stack = stack_frames_of(ticks->frames, recorded);
  struct places *places = ticks->frames->places;
  const struct profile *profile = places->profile;
  uint32_t *history = room_for(ticks, (size_t)stack->length + 1);
  if (stack->length) memcpy(history, stack->entries, stack->length * sizeof *history);
  uint32_t length = stack->length, place = stack->stack;
  if (length && is_of_header(profile, history_function(history[length - 1]))) {
    length--;
    place = profile->stacks[place].parent;
  }
  /* Nothing but the start of a thread was on it. */
  if (!length) history[length++] = history_entry(places_outside(places), true);
  uint32_t running = history_function(history[length - 1]);
  struct profile_tick tick = {.stack = place, .centre = NOTHING, .kind = NOTHING};
  const struct profile_stack top =
      place == NOTHING ? (struct profile_stack){NOTHING, NOTHING} : profile->stacks[place];
  if (top.line != NOTHING && profile->lines[top.line].function == running) {
    tick.line = top.line;
    tick.stack = top.parent;
  } else {
    tick.line = builder_line(places->builder, running, NULL, 0);
  }
  tick.context =
      context_intern(&places->builder->contexts, thread, history, history_fold(history, length));
  return tick;
}

void stack_ticks_close(struct stack_ticks *ticks) {
  free(ticks->history);
}
