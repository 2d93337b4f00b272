/* Objects, functions, processes and threads of several runs: which are the same. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/books.h"
#include "attribution/merge/merge_parts.h"
#include "base/base_name.h"

const char *merge_text(struct merge *merge, const char *text) {
  return builder_text(&merge->builder, text);
}

static uint32_t find_text(const struct map *map, const char *text) {
  return map_find(map, (uintptr_t)text, 0);
}

static void enter_text(struct map *map, const char *text, uint32_t id) {
  map_find_or_add(map, (uintptr_t)text, 0, id);
}

/* ---- objects ---- */

static bool is_main_object(const struct profile *profile, uint32_t object) {
  return profile->process_count && process_runs(&profile->processes[0], &profile->objects[object]);
}

/* The program itself may have been built in another place. */
static uint32_t moved_program(const struct merge *merge, const struct profile *from, uint32_t id) {
  const struct profile *profile = merge->profile;
  if (!is_main_object(from, id)) return NOTHING;
  for (uint32_t i = 0; i < profile->object_count; i++)
    if (is_main_object(profile, i) &&
        strcmp(base_name(profile->objects[i].path), base_name(from->objects[id].path)) == 0)
      return i;
  return NOTHING;
}

static uint32_t add_object(struct merge *merge, const struct profile_object *from) {
  uint32_t id = profile_add_object(merge->profile, *from);
  ARRAY_GROW(merge->several_builds, id);
  merge->several_builds[id] = false;
  return id;
}

static void merge_object(struct merge *merge, struct merge_ids *ids, uint32_t i) {
  const struct profile_object *from = &ids->from->objects[i];
  const char *build_id = from->build_id[0] ? merge_text(merge, from->build_id) : NULL;
  const char *path = merge_text(merge, from->path);
  uint32_t id = build_id ? find_text(&merge->build_ids, build_id) : NOTHING;
  bool same_build = id != NOTHING;
  if (id == NOTHING) id = map_find(&merge->paths, (uintptr_t)path, from->kind);
  if (id == NOTHING) id = moved_program(merge, ids->from, i);
  ids->other_build[i] = id != NOTHING && !same_build;
  if (id == NOTHING)
    id = add_object(merge, from);
  else if (from->kind == OBJECT_WORLD ||
           (!same_build && strcmp(merge->profile->objects[id].build_id, from->build_id) != 0))
    merge->several_builds[id] = true; /* the keys of a world are those of one process */
  if (!from->uncounted) merge->profile->objects[id].uncounted = NULL;
  merge->profile->objects[id].counted |= from->counted;
  if (build_id) enter_text(&merge->build_ids, build_id, id);
  map_find_or_add(&merge->paths, (uintptr_t)path, from->kind, id);
  ids->objects[i] = id;
}

void merge_objects(struct merge *merge, struct merge_ids *ids) {
  size_t count = ids->from->object_count;
  ids->objects = memory_zeroed(count, sizeof *ids->objects);
  ids->other_build = memory_zeroed(count, sizeof *ids->other_build);
  for (uint32_t i = 0; i < count; i++)
    merge_object(merge, ids, i);
}

/* ---- functions ---- */

/* How closely functions are compared: lines move from build to build, files less often. */
enum closeness { SAME_LINE, SAME_FILE, SAME_NAME, CLOSENESSES };

static const char *identity(struct merge *merge, const struct profile_function *function,
                            uint32_t object, enum closeness closeness) {
  char text[8192];
  const char *symbol = function->linkage ? function->linkage : function->name;
  const char *file = closeness <= SAME_FILE && function->file ? function->file : "";
  bool line = closeness == SAME_LINE;
  snprintf(text, sizeof text, "%d\n%" PRIu32 "\n%s\n%s\n%s\n%" PRIu32 "\n%" PRIu32, closeness,
           object, symbol, line ? function->name : "", file, line ? function->line : 0,
           line ? function->column : 0);
  return merge_text(merge, text);
}

static uint32_t add_function(struct merge *merge, const struct profile_function *from,
                             uint32_t object) {
  struct profile_function function = *from;
  function.object = object;
  return profile_add_function(merge->profile, function);
}

static uint32_t object_of(const struct merge_ids *ids, const struct profile_function *function) {
  return merged_id(ids->objects, function->object);
}

/* In a world several functions often have one name, or none: they are told by their places. */
static bool may_have_moved(const struct merge_ids *ids, uint32_t object) {
  return object != NOTHING && ids->other_build[object] &&
         ids->from->objects[object].kind == OBJECT_FILE;
}

/* Only where the builds may differ is anything but all the same enough, and then no function is
 * taken twice. */
static void match_functions(struct merge *merge, struct merge_ids *ids, enum closeness closeness,
                            bool *taken) {
  const struct profile *from = ids->from;
  for (uint32_t i = 0; i < from->function_count; i++) {
    const struct profile_function *function = &from->functions[i];
    if (ids->functions[i] != NOTHING) continue;
    if (closeness > SAME_LINE && !may_have_moved(ids, function->object)) continue;
    const char *key = identity(merge, function, object_of(ids, function), closeness);
    uint32_t id = find_text(&merge->functions, key);
    if (id == NOTHING || (closeness > SAME_LINE && taken[id])) continue;
    ids->folds |= taken[id];
    taken[id] = true;
    ids->functions[i] = id;
  }
}

static void add_functions(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  for (uint32_t i = 0; i < from->function_count; i++) {
    const struct profile_function *function = &from->functions[i];
    uint32_t object = object_of(ids, function);
    if (ids->functions[i] == NOTHING) ids->functions[i] = add_function(merge, function, object);
    uint32_t id = ids->functions[i];
    struct profile_function *merged = &merge->profile->functions[id];
    /* A function that was counted in one run may have been met by ticks only in another. */
    if (function->kind != FUNCTION_SAMPLED) merged->kind = function->kind;
    merged->exported |= function->exported;
    merged->bodies |= function->bodies;
    for (enum closeness closeness = SAME_LINE; closeness < CLOSENESSES; closeness++)
      enter_text(&merge->functions, identity(merge, function, object, closeness), id);
  }
}

void merge_functions(struct merge *merge, struct merge_ids *ids) {
  size_t count = ids->from->function_count;
  bool *taken = memory_zeroed(merge->profile->function_count, sizeof *taken);
  ids->functions = memory_zeroed(count, sizeof *ids->functions);
  for (size_t i = 0; i < count; i++)
    ids->functions[i] = NOTHING;
  for (enum closeness closeness = SAME_LINE; closeness < CLOSENESSES; closeness++)
    match_functions(merge, ids, closeness, taken);
  free(taken);
  add_functions(merge, ids);
}

/* ---- processes and threads ---- */

/* What they measured of a metric. */
static void merge_measures(struct merge *merge, const struct merge_ids *ids, uint32_t metric) {
  struct profile *profile = merge->profile;
  struct profile view = metric_view(ids->from, metric);
  /* The sum is an estimate as soon as one run was sampled. Exact runs add no variance to it. */
  if (profile_metric(&view)->evidence == EVIDENCE_SIZED)
    profile->metrics[metric].evidence = EVIDENCE_SIZED;
  struct process_sum *sums = process_sums_make(&view);
  for (size_t i = 0; i < view.process_count; i++) {
    uint32_t process = (uint32_t)(ids->first_process + i);
    struct profile_measure *measure = metrics_measure(&profile->metrics[metric], process);
    *measure = profile_metric(&view)->measures[i];
    measure->process = process;
    measure->delivered = sums[i].delivered;
    profile->process_calls[process] = sums[i].calls;
  }
  free(sums);
}

void merge_processes(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  struct profile *profile = merge->profile;
  ids->first_run = profile->run_count;
  ids->first_process = profile->process_count;
  for (size_t i = 0; i < from->process_count; i++) {
    struct profile_process process = from->processes[i];
    process.run += ids->first_run;
    ARRAY_GROW(profile->process_calls, profile->process_count);
    profile_add_process(profile, process);
  }
  for (uint32_t i = 0; i < from->metric_count; i++)
    merge_measures(merge, ids, i);
}

/* How often each key came before. */
struct occurrences {
  struct map ids;
  uint32_t *counts;
  size_t count;
};

static uint32_t next_occurrence(struct occurrences *seen, const char *text, uint32_t of) {
  uint32_t id = map_find_or_add(&seen->ids, (uintptr_t)text, of, seen->count);
  if (id == seen->count) {
    ARRAY_GROW(seen->counts, seen->count);
    seen->counts[seen->count++] = 0;
  }
  return seen->counts[id]++;
}

static void occurrences_free(struct occurrences *seen) {
  map_free(&seen->ids);
  free(seen->counts);
}

/* "NAME N": the Nth process of its run that runs this program. */
static const char **process_identities(struct merge *merge, const struct profile *from) {
  const char **identities = memory_zeroed(from->process_count, sizeof *identities);
  struct occurrences seen = {0};
  char text[4200];
  for (size_t i = 0; i < from->process_count; i++) {
    const struct profile_process *process = &from->processes[i];
    const char *program = process->executable[0] ? process->executable : process->command;
    const char *name = merge_text(merge, base_name(program));
    snprintf(text, sizeof text, "%s\n%" PRIu32, name, next_occurrence(&seen, name, process->run));
    identities[i] = merge_text(merge, text);
  }
  occurrences_free(&seen);
  return identities;
}

static const char *thread_identity(struct merge *merge, const struct profile_thread *thread,
                                   const char *process, uint32_t start) {
  char text[8400];
  snprintf(text, sizeof text, "%s\n%s\n%" PRIu32, process, thread->name, start);
  return merge_text(merge, text);
}

/* `spawned_in` is set when the contexts are there. */
static uint32_t add_thread(struct merge *merge, const struct merge_ids *ids,
                           const struct profile_thread *from, uint32_t start) {
  return profile_add_thread(merge->profile,
                            (struct profile_thread){.process = from->process + ids->first_process,
                                                    .tid = from->tid,
                                                    .start_function = start,
                                                    .spawned_in = NOTHING,
                                                    .name = from->name});
}

/* A thread of one run goes on where that of another, which did the same, has ended. */
void merge_threads(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  const char **processes = process_identities(merge, from);
  struct occurrences seen = {0};
  ids->threads = memory_zeroed(from->thread_count, sizeof *ids->threads);
  for (uint32_t i = 0; i < from->thread_count; i++) {
    const struct profile_thread *thread = &from->threads[i];
    uint32_t start = merged_id(ids->functions, thread->start_function);
    const char *key = thread_identity(merge, thread, processes[thread->process], start);
    uint32_t number = next_occurrence(&seen, key, 0);
    uint32_t id = map_find(&merge->threads, (uintptr_t)key, number);
    if (id == NOTHING) id = add_thread(merge, ids, thread, start);
    map_find_or_add(&merge->threads, (uintptr_t)key, number, id);
    struct profile_thread *merged = &merge->profile->threads[id];
    merged->owners += thread->owners;
    merged->ticks += thread->ticks;
    merged->lost += thread->lost;
    merged->cpu_ns += thread->cpu_ns;
    merged->unsampled_ns += thread->unsampled_ns;
    ids->threads[i] = id;
  }
  occurrences_free(&seen);
  free(processes);
}
