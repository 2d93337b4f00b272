#include "attribution/recorded/expansion.h"

#include <stdlib.h>
#include <string.h>

#include "recording/history.h"

/* How deep below the outermost frame main and a thread's first function may be. */
enum { START_FRAMES = 4 };

void expansion_open(struct expansion *expansion, struct places *places) {
  *expansion = (struct expansion){
      .places = places, .profile = places->profile, .skipped = {.places = places}};
}

void expansion_close(struct expansion *expansion) {
  skipped_frames_close(&expansion->skipped);
}

static bool has_hooks(const struct process_recording *process) {
  for (size_t i = 0; i < process->transition_count; i++)
    if (!process->transitions[i].indirect) return true;
  return false;
}

void expansion_enter(struct expansion *expansion, const struct process_recording *process) {
  expansion->process = process;
  expansion->puts_back = !has_hooks(process);
  expansion->contexts = memory_zeroed(process->context_count, sizeof *expansion->contexts);
}

void expansion_leave(struct expansion *expansion) {
  for (size_t i = 0; i < expansion->process->context_count; i++)
    free(expansion->contexts[i].entries);
  free(expansion->contexts);
  expansion->contexts = NULL;
}

const struct place_frame *expansion_skipped(struct expansion *expansion, uint32_t call,
                                            uint32_t entered, uint32_t *count) {
  *count = 0;
  if (call == NOTHING || !expansion->puts_back) return NULL;
  return skipped_frames_find(&expansion->skipped, call, entered, count);
}

/* ---- one stack ---- */

struct unfolding {
  struct expansion *expansion;
  uint32_t *entries;
  uint32_t *lines; /* by entry; NOTHING: none */
  uint32_t length;
  uint32_t call; /* as in struct expanded */
  bool cut;      /* outer frames could not be found */
  bool begun;    /* the program's first function was met: it may be called again */
};

static void append(struct unfolding *unfolding, uint32_t function, uint32_t line) {
  ARRAY_GROW(unfolding->entries, unfolding->length);
  ARRAY_GROW(unfolding->lines, unfolding->length);
  unfolding->entries[unfolding->length] = history_entry(function, true);
  unfolding->lines[unfolding->length++] = line;
}

static void append_frames(struct unfolding *unfolding, const struct place_frame *frames,
                          uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    append(unfolding, frames[i].function,
           builder_line(unfolding->expansion->places->builder, frames[i].function, frames[i].file,
                        frames[i].line));
}

bool expansion_starts(const struct expansion *expansion, uint32_t thread, uint32_t function) {
  const struct process_recording *process = expansion->process;
  uint32_t first = process->threads[thread].start_function;
  if (first != NOTHING && process->threads[thread].tid != process->header.pid) {
    const struct function_entry *entry = &process->functions[first];
    uint32_t place = places_find(expansion->places, entry->address, entry->event);
    return places_function(expansion->places, place, true) == function;
  }
  return strcmp(expansion->profile->functions[function].name, "main") == 0;
}

/* Below frames that were not found, nobody knows what begins. */
static bool may_begin(const struct unfolding *unfolding) {
  return unfolding->length <= START_FRAMES && !unfolding->cut && !unfolding->begun;
}

/* makecontext puts the first byte of a function where a return address would be: before it, there
 * is no function. */
static bool is_coroutine_end(const struct expansion *expansion, uint32_t before,
                             const struct function_entry *call) {
  const struct place *place = places_get(expansion->places, before);
  if (place->function != NOTHING || place->object == NOTHING) return false;
  uint32_t at = places_find(expansion->places, call->address, call->event);
  return places_get(expansion->places, at)->function != NOTHING;
}

static void append_call(struct unfolding *unfolding, uint32_t thread,
                        const struct function_entry *call) {
  struct expansion *expansion = unfolding->expansion;
  uint32_t place = places_find(expansion->places, CALLING_BYTE(call->address), call->event);
  uint32_t count, outer = unfolding->call;
  unfolding->call = NOTHING;
  if (places_get(expansion->places, place)->thread_begins && may_begin(unfolding))
    unfolding->length = 0;
  if (places_get(expansion->places, place)->runtime) return;
  if (!unfolding->length && is_coroutine_end(expansion, place, call)) return;
  const struct place_frame *frames = expansion_skipped(expansion, outer, place, &count);
  append_frames(unfolding, frames, count);
  unfolding->call = place;
  frames = places_frames(expansion->places, place, &count);
  if (may_begin(unfolding) && expansion_starts(expansion, thread, frames[0].function)) {
    unfolding->length = 0;
    unfolding->begun = true;
  }
  append_frames(unfolding, frames, count);
}

/* Lines of entries that are not marked stand again further in. */
static uint32_t stack_of(const struct unfolding *unfolding) {
  struct profile_builder *builder = unfolding->expansion->places->builder;
  uint32_t stack = builder_stack(builder, NOTHING, NOTHING);
  for (uint32_t i = 0; i < unfolding->length; i++)
    if (unfolding->lines[i] != NOTHING) stack = builder_stack(builder, stack, unfolding->lines[i]);
  return stack;
}

const struct expanded *expansion_of(struct expansion *expansion, uint32_t id) {
  struct expanded *expanded = &expansion->contexts[id];
  if (expanded->entries) return expanded;
  const struct context_entry *context = &expansion->process->contexts[id];
  struct unfolding unfolding = {.expansion = expansion, .call = NOTHING};
  for (uint32_t i = 0; i < context->length; i++) {
    const struct function_entry *entry =
        &expansion->process->functions[history_function(context->history[i])];
    if (entry->kind != ENTRY_CUT) {
      append_call(&unfolding, context->thread, entry);
      continue;
    }
    append(&unfolding, places_cut(expansion->places), NOTHING);
    unfolding.call = NOTHING;
    unfolding.cut = true;
  }
  if (context->flags & CONTEXT_OVERFLOW) {
    append(&unfolding, places_overflow(expansion->places), NOTHING);
    unfolding.call = NOTHING;
  }
  *expanded = (struct expanded){unfolding.entries, unfolding.length, stack_of(&unfolding),
                                may_begin(&unfolding), unfolding.call};
  free(unfolding.lines);
  if (!expanded->entries) expanded->entries = memory_zeroed(1, sizeof *expanded->entries);
  return expanded;
}
