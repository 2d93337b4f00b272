#include "attribution/recorded/recorded_functions.h"

#include <stdlib.h>

#include "recording/history.h"

/* By recorded context: whether it only stands for a pointer that was called. Calls through pointers
 * in code with counters (counters.h) have contexts of the callee alone, which say nothing of where
 * it ran. So have contexts of cost centres no functions. */
static bool *find_apart(const struct process_recording *process, const bool *centres) {
  bool *apart = memory_zeroed(process->context_count, sizeof *apart);
  for (size_t i = 0; i < process->transition_count; i++)
    if (process->transitions[i].indirect) apart[process->transitions[i].to] = true;
  for (size_t i = 0; i < process->transition_count; i++)
    if (!process->transitions[i].indirect)
      apart[process->transitions[i].from] = apart[process->transitions[i].to] = false;
  for (size_t i = 0; i < process->context_count; i++)
    apart[i] |= centres[i];
  for (size_t i = 0; i < process->tick_count; i++)
    apart[process->ticks[i].context] = false;
  return apart;
}

/* By recorded function: whether no other context has it, no thread began with it, and -pg did
 * not count it. */
static bool *find_apart_only(const struct process_recording *process, const bool *apart) {
  bool *only = memory_zeroed(process->function_count, sizeof *only);
  for (int pass = 1; pass >= 0; pass--)
    for (size_t i = 0; i < process->context_count; i++)
      for (uint32_t k = 0; apart[i] == pass && k < process->contexts[i].length; k++)
        only[history_function(process->contexts[i].history[k])] = pass;
  for (size_t i = 0; i < process->thread_count; i++)
    if (process->threads[i].start_function != NOTHING)
      only[process->threads[i].start_function] = false;
  for (size_t i = 0; i < process->call_count; i++)
    only[process->calls[i].function] = false;
  return only;
}

static void map_functions(struct recorded_functions *recorded, struct places *places,
                          const bool *apart) {
  const struct process_recording *process = places->process;
  size_t count = process->function_count;
  bool *apart_only = find_apart_only(process, apart);
  struct map first = {0}; /* function -> the first recorded one that became it */
  recorded->functions = memory_zeroed(count, sizeof *recorded->functions);
  recorded->piece = memory_zeroed(count, sizeof *recorded->piece);
  recorded->shared = memory_zeroed(count, sizeof *recorded->shared);
  for (size_t i = 0; i < count; i++) {
    const struct function_entry *entry = &process->functions[i];
    if (entry->kind != ENTRY_FUNCTION || apart_only[i]) continue;
    uint32_t place = places_find(places, entry->address, entry->epoch);
    uint32_t function = places_function(places, place, true);
    recorded->functions[i] = function;
    recorded->piece[i] = places_get(places, place)->piece;
    uint32_t other = map_find_or_add(&first, function, 0, i);
    recorded->shared[other] |= other != i;
    recorded->shared[i] |= other != i;
  }
  map_free(&first);
  free(apart_only);
}

/* A function is counted if a hook was met in it; a thread's first function may have none. */
static void mark_counted(const struct recorded_functions *recorded, struct places *places,
                         const bool *apart) {
  const struct process_recording *process = places->process;
  for (size_t i = 0; i < process->context_count; i++) {
    const struct context_entry *context = &process->contexts[i];
    if (!context->length || context->flags & CONTEXT_STACK || apart[i]) continue;
    uint32_t function =
        recorded->functions[history_function(context->history[context->length - 1])];
    places->profile->functions[function].kind = FUNCTION_COUNTED;
  }
}

void recorded_functions_make(struct recorded_functions *recorded, struct places *places) {
  const struct process_recording *process = places->process;
  recorded->centres = memory_zeroed(process->context_count, sizeof *recorded->centres);
  for (size_t i = 0; i < process->context_count; i++)
    recorded->centres[i] = context_is_of_centres(process, (uint32_t)i);
  bool *apart = find_apart(process, recorded->centres);
  map_functions(recorded, places, apart);
  mark_counted(recorded, places, apart);
  free(apart);
}

void recorded_functions_free(struct recorded_functions *recorded) {
  free(recorded->functions);
  free(recorded->piece);
  free(recorded->shared);
  free(recorded->centres);
  *recorded = (struct recorded_functions){0};
}
