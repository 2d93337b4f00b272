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
  map_free(&expansion->lines);
  map_free(&expansion->stacks);
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

uint32_t expansion_line(struct expansion *expansion, uint32_t function, const char *file,
                        uint32_t line) {
  struct profile *profile = expansion->profile;
  uint64_t key = (uint64_t)function << 32 | line;
  uint32_t id = map_find_or_add(&expansion->lines, key, (uintptr_t)file, profile->line_count);
  if (id != profile->line_count) return id;
  ARRAY_GROW(profile->lines, profile->line_count);
  profile->lines[profile->line_count++] =
      (struct profile_line){.function = function, .line = line, .file = file};
  return id;
}

uint32_t expansion_below(struct expansion *expansion, uint32_t stack, uint32_t line) {
  struct profile *profile = expansion->profile;
  uint32_t id = map_find_or_add(&expansion->stacks, stack, line, profile->stack_count);
  if (id != profile->stack_count) return id;
  ARRAY_GROW(profile->stacks, profile->stack_count);
  profile->stacks[profile->stack_count++] = (struct profile_stack){stack, line};
  return id;
}

const struct place_frame *expansion_skipped(struct expansion *expansion, uint32_t call,
                                            uint32_t entered, uint32_t *count) {
  *count = 0;
  if (call == NOTHING || !expansion->puts_back) return NULL;
  return skipped_frames_find(&expansion->skipped, call, entered, count);
}

/* ---- one stack ---- */

struct builder {
  struct expansion *expansion;
  uint32_t *entries;
  uint32_t *lines; /* by entry; NOTHING: none */
  uint32_t length;
  uint32_t call; /* as in struct expanded */
  bool cut;      /* outer frames could not be found */
  bool begun;    /* the program's first function was met: it may be called again */
};

static void append(struct builder *builder, uint32_t function, uint32_t line) {
  ARRAY_GROW(builder->entries, builder->length);
  ARRAY_GROW(builder->lines, builder->length);
  builder->entries[builder->length] = history_entry(function, true);
  builder->lines[builder->length++] = line;
}

static void append_frames(struct builder *builder, const struct place_frame *frames,
                          uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    append(builder, frames[i].function,
           expansion_line(builder->expansion, frames[i].function, frames[i].file, frames[i].line));
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
static bool may_begin(const struct builder *builder) {
  return builder->length <= START_FRAMES && !builder->cut && !builder->begun;
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

static void append_call(struct builder *builder, uint32_t thread,
                        const struct function_entry *call) {
  struct expansion *expansion = builder->expansion;
  uint32_t place = places_find(expansion->places, call->address - 1, call->event);
  uint32_t count, outer = builder->call;
  builder->call = NOTHING;
  if (places_get(expansion->places, place)->thread_begins && may_begin(builder))
    builder->length = 0;
  if (places_get(expansion->places, place)->runtime) return;
  if (!builder->length && is_coroutine_end(expansion, place, call)) return;
  const struct place_frame *frames = expansion_skipped(expansion, outer, place, &count);
  append_frames(builder, frames, count);
  builder->call = place;
  frames = places_frames(expansion->places, place, &count);
  if (may_begin(builder) && expansion_starts(expansion, thread, frames[0].function)) {
    builder->length = 0;
    builder->begun = true;
  }
  append_frames(builder, frames, count);
}

/* Lines of entries that are not marked stand again further in. */
static uint32_t stack_of(const struct builder *builder) {
  uint32_t stack = expansion_below(builder->expansion, NOTHING, NOTHING);
  for (uint32_t i = 0; i < builder->length; i++)
    if (builder->lines[i] != NOTHING)
      stack = expansion_below(builder->expansion, stack, builder->lines[i]);
  return stack;
}

const struct expanded *expansion_of(struct expansion *expansion, uint32_t id) {
  struct expanded *expanded = &expansion->contexts[id];
  if (expanded->entries) return expanded;
  const struct context_entry *context = &expansion->process->contexts[id];
  struct builder builder = {.expansion = expansion, .call = NOTHING};
  for (uint32_t i = 0; i < context->length; i++) {
    const struct function_entry *entry =
        &expansion->process->functions[history_function(context->history[i])];
    if (entry->kind != ENTRY_CUT) {
      append_call(&builder, context->thread, entry);
      continue;
    }
    append(&builder, places_cut(expansion->places), NOTHING);
    builder.call = NOTHING;
    builder.cut = true;
  }
  if (context->flags & CONTEXT_OVERFLOW) {
    append(&builder, places_overflow(expansion->places), NOTHING);
    builder.call = NOTHING;
  }
  *expanded = (struct expanded){builder.entries, builder.length, stack_of(&builder),
                                may_begin(&builder), builder.call};
  free(builder.lines);
  if (!expanded->entries) expanded->entries = memory_zeroed(1, sizeof *expanded->entries);
  return expanded;
}
