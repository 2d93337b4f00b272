#include "attribution/recorded/uncounted.h"

#include <stdlib.h>

#include "symbols/object_hooks.h"

static const char *reason(enum object_hooks hooks) {
  switch (hooks) {
  case OBJECT_HOOKS_OWN:
    return "its linker kept the hooks' symbols local, so that no runtime is reached; link it with "
           "`ascribe cc`";
  case OBJECT_HOOKS_UNLINKED:
    return "it was linked without the runtime: by another than `ascribe cc`, or with -nostartfiles "
           "or -nostdlib";
  case OBJECT_HOOKS_SHARED:
    return "no function in it was called, or it was loaded apart from the program (dlmopen, "
           "RTLD_DEEPBIND)";
  case OBJECT_HOOKS_NONE:
    break;
  }
  return NULL;
}

static void note_object(struct places *places, const struct process_recording *process,
                        uint32_t object, struct map *seen) {
  if (object != NOTHING)
    map_find_or_add(seen, (uintptr_t)places_identity(places, &process->objects[object]), 0, 0);
}

/* Objects with counters that the runtime has taken over are counted, also where that is 0. */
static void note_counted(struct places *places, const struct process_recording *process,
                         struct map *seen) {
  for (size_t i = 0; i < process->function_count; i++)
    if (process->functions[i].kind == ENTRY_FUNCTION)
      note_object(places, process, process->functions[i].object, seen);
  for (size_t i = 0; i < process->counters_count; i++) {
    const struct counters_entry *entry = &process->counters[i];
    note_object(places, process, recording_object_at(process, entry->code, entry->epoch), seen);
  }
}

static void look_at(struct places *places, uint32_t recorded, struct map *seen) {
  const struct object_entry *object = &places->process->objects[recorded];
  uint64_t key = (uintptr_t)places_identity(places, object);
  if (object->world || map_find(seen, key, 0) != UINT32_MAX) return;
  map_find_or_add(seen, key, 0, 0);
  const char *why = reason(object_hooks_read(
      object->path, object->build_id_bytes ? object->build_id : NULL, object->build_id_bytes));
  if (!why) return;
  uint32_t id = places_object(places, recorded);
  places->profile->objects[id].uncounted = why;
}

/* Calls that had no room in the recording say nothing about how the program was built. */
static bool lacks_counts(const struct process_recording *process) {
  const uint64_t *drops = process->header.drops;
  return drops[DROP_CONTEXTS] || drops[DROP_TRANSITIONS] || drops[DROP_FUNCTIONS] ||
         drops[DROP_OBJECTS] || drops[DROP_THREADS] || drops[DROP_COUNTERS];
}

/* Then nothing is counted, whatever hooks there are. */
static bool is_from_outside(const struct recording *recording) {
  for (size_t i = 0; i < recording->process_count; i++)
    if (recording->processes[i].header.tick_source == TICK_PERF_OUTSIDE) return true;
  return false;
}

void uncounted_find(struct places *places, const struct recording *recording) {
  struct map seen = {0}; /* counted, or looked at */
  if (is_from_outside(recording)) return;
  for (size_t i = 0; i < recording->process_count; i++)
    note_counted(places, &recording->processes[i], &seen);
  for (size_t i = 0; i < recording->process_count; i++) {
    if (lacks_counts(&recording->processes[i])) continue;
    places_enter(places, &recording->processes[i]);
    for (size_t k = 0; k < recording->processes[i].object_count; k++)
      look_at(places, (uint32_t)k, &seen);
  }
  map_free(&seen);
}
