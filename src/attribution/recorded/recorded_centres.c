#include "attribution/recorded/recorded_centres.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "profile/appended.h"
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

/* A captured centre is resumed in threads, and in children, that were never in those around it. */
static void add_enclosing(struct recorded_centres *centres, uint32_t thread, uint32_t length) {
  for (uint32_t i = 0; i < length; i++)
    if (!history_marked(centres->history[i])) return; /* recursion left something out */
  for (uint32_t i = 1; i < length; i++)
    context_intern(&centres->builder.contexts, thread, centres->history, i);
}

static uint32_t context_of(struct recorded_centres *centres, uint32_t recorded, uint32_t thread) {
  uint32_t known = map_find(&centres->contexts, recorded, thread);
  if (known != NOTHING) return known;
  uint32_t length = translate(centres, recorded);
  add_enclosing(centres, thread, length);
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

/* The transition of the profile. */
static uint32_t entered(struct recorded_centres *centres, uint32_t from, uint32_t to,
                        uint64_t count) {
  uint32_t thread = centres->first_thread + centres->process->contexts[to].thread;
  return builder_transition(&centres->builder,
                            (struct profile_transition){.from = context_of(centres, from, thread),
                                                        .to = context_of(centres, to, thread),
                                                        .count = count});
}

static void add_entries(struct recorded_centres *centres, const struct transition_entry *recorded) {
  if (!recorded->count || !centres->functions->centres[recorded->to]) return;
  uint32_t transition = entered(centres, recorded->from, recorded->to, recorded->count);
  while (centres->left_count <= transition) {
    ARRAY_GROW(centres->left, centres->left_count);
    centres->left[centres->left_count++] = 0;
  }
  centres->left[transition] += recorded->count;
}

/* ---- by slice ---- */

/* By thread of the process: the slice of its last tick, or 0. */
static uint32_t *last_slices(const struct process_recording *process) {
  uint32_t *last = memory_zeroed(process->thread_count, sizeof *last);
  for (size_t i = 0; i < process->tick_count; i++) {
    const struct tick_entry *tick = &process->ticks[i];
    uint32_t *of = &last[process->contexts[tick->context].thread];
    if (tick->slice < process->slice_count && tick->slice > *of) *of = tick->slice;
  }
  return last;
}

static void add_to_slice(struct recorded_centres *centres, struct profile_slice_entries entries) {
  struct profile *profile = centres->builder.profile;
  (void)APPENDED(profile->slice_entries, profile->slice_entry_count, entries);
}

static bool take_part(struct recorded_centres *centres, const struct entries_part *part,
                      uint32_t first_slice) {
  const struct process_recording *process = centres->process;
  if (!centres->functions->centres[part->to] || part->slice >= process->slice_count) return false;
  uint32_t transition = entered(centres, part->from, part->to, 0);
  if (transition >= centres->left_count || centres->left[transition] < part->entries) return false;
  centres->left[transition] -= part->entries;
  add_to_slice(centres, (struct profile_slice_entries){first_slice + part->slice, transition,
                                                       part->entries});
  return true;
}

/* What no later look of the thread saw came with its last tick or after it. */
static void add_rest(struct recorded_centres *centres, uint32_t first_slice) {
  const struct process_recording *process = centres->process;
  const struct profile *profile = centres->builder.profile;
  uint32_t *last = last_slices(process);
  for (uint32_t i = 0; i < centres->left_count; i++) {
    uint32_t thread = profile->contexts[profile->transitions[i].to].thread;
    if (!centres->left[i]) continue;
    add_to_slice(centres,
                 (struct profile_slice_entries){first_slice + last[thread - centres->first_thread],
                                                i, centres->left[i]});
    centres->left[i] = 0;
  }
  free(last);
}

void recorded_centres_add_slices(struct recorded_centres *centres, uint32_t first_slice) {
  const struct process_recording *process = centres->process;
  size_t before = centres->builder.profile->slice_entry_count;
  bool known = process->slice_count && !(process->header.hindrances & HINDRANCE_ENTRIES);
  for (size_t i = 0; known && i < process->entry_count; i++)
    known = take_part(centres, &process->entries[i], first_slice);
  if (known)
    add_rest(centres, first_slice);
  else /* of a damaged recording nothing is known by time */
    centres->builder.profile->slice_entry_count = before;
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
  free(centres->left);
  centres->left = NULL;
  centres->left_count = 0;
  map_free(&centres->contexts);
  centres->centres = NULL;
  centres->process = NULL;
  centres->functions = NULL;
}
