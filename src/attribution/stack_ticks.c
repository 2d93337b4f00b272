#include "attribution/stack_ticks.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "recording/history.h"

static uint32_t *room_for(struct stack_ticks *ticks, size_t length) {
  if (length > ticks->room) {
    ticks->room = 2 * length;
    ticks->history = memory_resized(ticks->history, ticks->room, sizeof *ticks->history);
  }
  return ticks->history;
}

struct stack_tick stack_tick_find(struct stack_ticks *ticks, uint32_t thread, uint32_t recorded,
                                  uint32_t place) {
  struct expansion *expansion = ticks->expansion;
  struct expanded outer = {.stack = expansion_below(expansion, NOTHING, NOTHING)};
  if (recorded != NOTHING) outer = *expansion_of(expansion, recorded);
  uint32_t count, of_process = 0;
  if (recorded != NOTHING) of_process = expansion->process->contexts[recorded].thread;
  const struct place_frame *frames = places_frames(expansion->places, place, &count);
  if (outer.begins && expansion_starts(expansion, of_process, frames[0].function))
    outer = (struct expanded){.stack = expansion_below(expansion, NOTHING, NOTHING)};
  uint32_t *history = room_for(ticks, outer.length + count);
  struct stack_tick tick = {
      .line = NOTHING, .stack = outer.stack, .column = frames[count - 1].column};
  if (outer.length) memcpy(history, outer.entries, outer.length * sizeof *history);
  for (uint32_t i = 0; i < count; i++) {
    const struct place_frame *frame = &frames[i];
    history[outer.length + i] = history_entry(frame->function, true);
    if (tick.line != NOTHING) tick.stack = expansion_below(expansion, tick.stack, tick.line);
    tick.line = expansion_line(expansion, frame->function, frame->file, frame->line);
  }
  uint32_t length = history_fold(history, outer.length + count);
  tick.context = context_intern(ticks->contexts, thread, history, length);
  return tick;
}

void stack_ticks_close(struct stack_ticks *ticks) {
  free(ticks->history);
}
