#include "attribution/recorded/recorded_centres.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "profile/centres.h"
#include "recording/history.h"

static uint32_t centre_of(struct recorded_centres *centres, uint32_t function) {
  uint32_t *known = &centres->centres[function];
  if (*known != NOTHING) return *known;
  const struct function_entry *entry = &centres->process->functions[function];
  struct key_definition definition = {.name = "<unknown>"};
  if (entry->object != NOTHING && centres->process->objects[entry->object].world)
    world_find(centres->process->objects[entry->object].world, entry->address - CENTRE_ADDRESS(0),
               &definition);
  const struct profile_function centre = {.name = definition.name,
                                          .linkage = definition.module ? definition.module : "",
                                          .file = definition.file,
                                          .line = definition.line,
                                          .object = NOTHING,
                                          .kind = FUNCTION_COUNTED};
  return *known = centres_add(&centres->builder, &centre);
}

static uint32_t *history_room(struct recorded_centres *centres, size_t length) {
  ARRAY_ROOM(centres->history, length);
  return centres->history;
}

/* Of a root the history is empty. */
static uint32_t translate(struct recorded_centres *centres, uint32_t recorded) {
  const struct context_entry *context = &centres->process->contexts[recorded];
  uint32_t *history = history_room(centres, (size_t)context->length + 1);
  if (context->flags & CONTEXT_OVERFLOW) {
    history[0] = history_entry(centres_add_unrecorded(&centres->builder), true);
    return 1;
  }
  if (!centres->functions->centres[recorded]) return 0;
  for (uint32_t i = 0; i < context->length; i++)
    history[i] = history_entry(centre_of(centres, history_function(context->history[i])),
                               history_marked(context->history[i]));
  return history_fold(history, context->length);
}

static uint32_t context_of(struct recorded_centres *centres, uint32_t recorded, uint32_t thread) {
  uint32_t known = map_find(&centres->contexts, recorded, thread);
  if (known != NOTHING) return known;
  uint32_t length = translate(centres, recorded);
  uint32_t id = context_intern(&centres->builder.contexts, thread, centres->history, length);
  return map_find_or_add(&centres->contexts, recorded, thread, id);
}

uint32_t recorded_centres_find(struct recorded_centres *centres, uint32_t recorded,
                               uint32_t thread) {
  if (recorded == NOTHING) return NOTHING;
  bool lost = centres->process->contexts[recorded].flags & CONTEXT_OVERFLOW;
  bool any = lost || centres->functions->centres[recorded];
  return any ? context_of(centres, recorded, thread) : NOTHING;
}

static void add_entries(struct recorded_centres *centres, const struct transition_entry *recorded) {
  if (!recorded->count || !centres->functions->centres[recorded->to]) return;
  uint32_t thread = centres->first_thread + centres->process->contexts[recorded->to].thread;
  uint32_t from = context_of(centres, recorded->from, thread);
  uint32_t to = context_of(centres, recorded->to, thread);
  builder_transition(&centres->builder,
                     (struct profile_transition){.from = from, .to = to, .count = recorded->count});
}

void recorded_centres_open(struct recorded_centres *centres, struct profile *profile) {
  *centres = (struct recorded_centres){.process = NULL};
  builder_open(&centres->builder, profile->centres);
}

void recorded_centres_close(struct recorded_centres *centres) {
  builder_close(&centres->builder);
  free(centres->history);
}

void recorded_centres_enter(struct recorded_centres *centres,
                            const struct process_recording *process,
                            const struct recorded_functions *functions, uint32_t first_thread) {
  centres->process = process;
  centres->functions = functions;
  centres->first_thread = first_thread;
  centres->centres = memory_resized(NULL, process->function_count + 1, sizeof *centres->centres);
  memset(centres->centres, 0xff, process->function_count * sizeof *centres->centres);
  for (size_t i = 0; i < process->transition_count; i++)
    add_entries(centres, &process->transitions[i]);
}

void recorded_centres_leave(struct recorded_centres *centres) {
  free(centres->centres);
  map_free(&centres->contexts);
  centres->centres = NULL;
  centres->process = NULL;
  centres->functions = NULL;
}
