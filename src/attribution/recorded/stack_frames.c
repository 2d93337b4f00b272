#include "attribution/recorded/stack_frames.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "recording/history.h"

/* How deep below the outermost frame main and a thread's first function may be. */
enum { START_FRAMES = 4 };

void stack_frames_open(struct stack_frames *frames, struct places *places) {
  *frames = (struct stack_frames){
      .places = places, .profile = places->profile, .skipped = {.places = places}};
}

void stack_frames_close(struct stack_frames *frames) {
  skipped_frames_close(&frames->skipped);
}

static bool has_hooks(const struct process_recording *process) {
  for (size_t i = 0; i < process->transition_count; i++)
    if (!process->transitions[i].indirect) return true;
  return false;
}

void stack_frames_enter(struct stack_frames *frames, const struct process_recording *process) {
  frames->process = process;
  frames->puts_back = !has_hooks(process);
  frames->contexts = memory_zeroed(process->context_count, sizeof *frames->contexts);
}

void stack_frames_leave(struct stack_frames *frames) {
  for (size_t i = 0; i < frames->process->context_count; i++)
    free(frames->contexts[i].entries);
  free(frames->contexts);
  frames->contexts = NULL;
}

const struct place_frame *stack_frames_skipped(struct stack_frames *frames, uint32_t call,
                                               uint32_t entered, uint32_t *count) {
  *count = 0;
  if (call == NOTHING || !frames->puts_back) return NULL;
  return skipped_frames_find(&frames->skipped, call, entered, count);
}

/* ---- one stack ---- */

struct unfolding {
  struct stack_frames *frames;
  uint32_t *entries;
  uint32_t length;
  uint32_t *lines; /* one for each entry, and NOTHING where frames may be missing */
  uint32_t line_count;
  uint32_t call; /* as in struct frame_list */
  bool cut;      /* outer frames could not be found */
  bool begun;    /* the program's first function was met: it may be called again */
};

static void append_line(struct unfolding *unfolding, uint32_t line) {
  ARRAY_GROW(unfolding->lines, unfolding->line_count);
  unfolding->lines[unfolding->line_count++] = line;
}

static void append(struct unfolding *unfolding, uint32_t function, const char *file,
                   uint32_t line) {
  ARRAY_GROW(unfolding->entries, unfolding->length);
  unfolding->entries[unfolding->length++] = history_entry(function, true);
  append_line(unfolding, builder_line(unfolding->frames->places->builder, function, file, line));
}

/* What was met so far is further out than the program. */
static void forget(struct unfolding *unfolding) {
  unfolding->length = 0;
  unfolding->line_count = 0;
}

static void append_frames(struct unfolding *unfolding, const struct place_frame *frames,
                          uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    append(unfolding, frames[i].function, frames[i].file, frames[i].line);
}

bool stack_frames_starts(const struct stack_frames *frames, uint32_t thread, uint32_t function) {
  const struct process_recording *process = frames->process;
  uint32_t first = process->threads[thread].start_function;
  if (first != NOTHING && process->threads[thread].tid != process->header.pid) {
    const struct function_entry *entry = &process->functions[first];
    uint32_t place = places_find(frames->places, entry->address, entry->epoch);
    return places_function(frames->places, place, true) == function;
  }
  return strcmp(frames->profile->functions[function].name, "main") == 0;
}

/* Below frames that were not found, nobody knows what begins. */
static bool may_begin(const struct unfolding *unfolding) {
  return unfolding->length <= START_FRAMES && !unfolding->cut && !unfolding->begun;
}

/* makecontext puts the first byte of a function where a return address would be: before it, there
 * is no function. */
static bool is_coroutine_end(const struct stack_frames *frames, uint32_t before,
                             const struct function_entry *call) {
  const struct place *place = places_get(frames->places, before);
  if (place->function != NOTHING || place->object == NOTHING) return false;
  uint32_t at = places_find(frames->places, call->address, call->epoch);
  return places_get(frames->places, at)->function != NOTHING;
}

static void append_call(struct unfolding *unfolding, uint32_t thread,
                        const struct function_entry *call) {
  struct stack_frames *frames = unfolding->frames;
  uint32_t place = places_find(frames->places, CALLING_BYTE(call->address), call->epoch);
  uint32_t count, outer = unfolding->call;
  unfolding->call = NOTHING;
  if (places_get(frames->places, place)->thread_begins && may_begin(unfolding)) forget(unfolding);
  if (places_get(frames->places, place)->runtime) return;
  if (!unfolding->length && is_coroutine_end(frames, place, call)) return;
  const struct place_frame *met = stack_frames_skipped(frames, outer, place, &count);
  append_frames(unfolding, met, count);
  unfolding->call = place;
  met = places_frames(frames->places, place, &count);
  if (may_begin(unfolding) && stack_frames_starts(frames, thread, met[0].function)) {
    forget(unfolding);
    unfolding->begun = true;
  }
  append_frames(unfolding, met, count);
}

static void append_hole(struct unfolding *unfolding) {
  if (unfolding->line_count) append_line(unfolding, NOTHING);
  unfolding->call = NOTHING;
}

static void append_unknown(struct unfolding *unfolding, uint32_t function) {
  append(unfolding, function, NULL, 0);
  unfolding->call = NOTHING;
}

static uint32_t stack_of(const struct unfolding *unfolding) {
  struct profile_builder *builder = unfolding->frames->places->builder;
  uint32_t stack = builder_stack(builder, NOTHING, NOTHING);
  for (uint32_t i = 0; i < unfolding->line_count; i++)
    stack = builder_stack(builder, stack, unfolding->lines[i]);
  return stack;
}

static void unfold(struct unfolding *unfolding, const struct context_entry *context) {
  struct stack_frames *frames = unfolding->frames;
  for (uint32_t i = 0; i < context->length; i++) {
    const struct function_entry *entry =
        &frames->process->functions[history_function(context->history[i])];
    if (history_has_hole(context->history, i)) append_hole(unfolding);
    if (entry->kind != ENTRY_CUT) {
      append_call(unfolding, context->thread, entry);
      continue;
    }
    append_unknown(unfolding, places_cut(frames->places));
    unfolding->cut = true;
  }
  if (context->flags & CONTEXT_OVERFLOW) append_unknown(unfolding, places_overflow(frames->places));
}

const struct frame_list *stack_frames_of(struct stack_frames *frames, uint32_t id) {
  struct frame_list *expanded = &frames->contexts[id];
  if (expanded->entries) return expanded;
  struct unfolding unfolding = {.frames = frames, .call = NOTHING};
  unfold(&unfolding, &frames->process->contexts[id]);
  *expanded =
      (struct frame_list){unfolding.entries, history_fold(unfolding.entries, unfolding.length),
                          stack_of(&unfolding), may_begin(&unfolding), unfolding.call};
  free(unfolding.lines);
  if (!expanded->entries) expanded->entries = memory_zeroed(1, sizeof *expanded->entries);
  return expanded;
}
