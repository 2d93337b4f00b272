#include "attribution/equations/flow_calls.h"

#include <stdlib.h>

#include "base/memory.h"
#include "flow/closure_flow.h"

enum { MOST_CALLS = 200000 }; /* the equations of more take too long: callers are unknown then */

struct adding {
  struct places *places;
  struct profile *profile;
  const struct process_recording *process;
  struct map counts;  /* address of a point -> index of process->points */
  struct map entries; /* function -> index of sums */
  struct entered {
    uint32_t function, first_site;
    uint64_t entries;
  } * sums;
  size_t sum_count;
  uint64_t start; /* of the world at hand */
};

/* False: nobody counted it. */
static bool count_of(const struct adding *adding, uint64_t key, uint64_t *count) {
  uint32_t index = map_find(&adding->counts, adding->start + key, 0);
  *count = index == NOTHING ? 0 : adding->process->points[index].count;
  return index != NOTHING;
}

static struct entered *entered_of(struct adding *adding, uint64_t key) {
  uint32_t place = places_find(adding->places, adding->start + key, UINT64_MAX);
  uint32_t function = places_function(adding->places, place, false);
  uint32_t index = map_find_or_add(&adding->entries, function, 0, (uint32_t)adding->sum_count);
  if (index == adding->sum_count) {
    ARRAY_GROW(adding->sums, adding->sum_count);
    adding->sums[adding->sum_count++] =
        (struct entered){.function = function, .first_site = NOTHING};
  }
  return &adding->sums[index];
}

static void add_possible(struct adding *adding, uint32_t place, struct profile_site site,
                         uint64_t at, struct entered *callee) {
  site.callee = callee->function;
  uint32_t id = builder_site(adding->places->builder, site, at);
  if (callee->first_site == NOTHING) callee->first_site = id;
  profile_add_possible_call(adding->profile, (struct profile_possible_call){
                                                 .place = place, .site = id, .fixed = NOT_FIXED});
}

static const struct profile_site nobody = {
    .caller = NOTHING, .within = NOTHING, .object = NOTHING, .expansion = NOTHING};

static void add_call(struct adding *adding, const struct core_program *program,
                     const struct core_call *call) {
  uint64_t count;
  bool known = count_of(adding, call->key, &count), unknown = call->unknown, any = false;
  if (!call->key || (known && !count)) return;
  for (uint32_t i = 0; i < call->target_count; i++) {
    uint64_t key = program->procedures[call->targets[i]].key;
    if (key)
      any |= entered_of(adding, key)->entries > 0;
    else
      unknown = true;
  }
  any |= unknown;
  if (!any) return;
  uint32_t at = places_find(adding->places, adding->start + call->key, UINT64_MAX);
  uint32_t caller = places_function(adding->places, at, false);
  const struct place *place = places_get(adding->places, at);
  struct profile_site site = {.caller = caller,
                              .within = caller,
                              .object = place->object,
                              .offset = place->offset,
                              .file = place->file,
                              .line = place->line,
                              .column = place->column,
                              .expansion = NOTHING};
  uint32_t of = profile_add_call_place(
      adding->profile, (struct profile_call_place){known ? count : 0, known ? count : UINT64_MAX});
  for (uint32_t i = 0; i < call->target_count; i++) {
    uint64_t key = program->procedures[call->targets[i]].key;
    if (key && entered_of(adding, key)->entries)
      add_possible(adding, of, site, at, entered_of(adding, key));
  }
  if (unknown)
    profile_add_possible_call(
        adding->profile,
        (struct profile_possible_call){.place = of, .site = NOTHING, .fixed = NOT_FIXED});
}

static void add_world(struct adding *adding, struct core_program *program) {
  uint64_t count;
  if (!adding->profile->call_place_count)
    profile_add_call_place(adding->profile, (struct profile_call_place){0, UINT64_MAX});
  for (size_t i = 0; i < program->procedure_count; i++)
    if (count_of(adding, program->procedures[i].key, &count))
      entered_of(adding, program->procedures[i].key)->entries += count;
  for (size_t i = 0; i < program->call_count; i++)
    add_call(adding, program, &program->calls[i]);
  struct map called = {0}; /* functions that the unseen code may call: once each */
  for (size_t i = 0; i < program->procedure_count; i++) {
    if (!program->procedures[i].escapes || !program->procedures[i].key) continue;
    struct entered *callee = entered_of(adding, program->procedures[i].key);
    if (!callee->entries) continue;
    uint32_t fresh = (uint32_t)called.count;
    if (map_find_or_add(&called, callee->function, 0, fresh) == fresh)
      add_possible(adding, 0, nobody, 0, callee);
  }
  map_free(&called);
}

static size_t possible_calls_of(const struct core_program *program) {
  size_t sum = program->procedure_count;
  for (size_t i = 0; i < program->call_count; i++)
    sum += program->calls[i].target_count + 1;
  return sum;
}

static void add_counts(struct adding *adding, struct map *explained) {
  for (size_t i = 0; i < adding->sum_count; i++) {
    const struct entered *sum = &adding->sums[i];
    if (sum->first_site == NOTHING) continue;
    map_find_or_add(explained, sum->function, 0, 0);
    adding->profile->functions[sum->function].kind = FUNCTION_COUNTED;
    profile_add_count(adding->profile,
                      (struct profile_count){(uint32_t)adding->profile->process_count - 1,
                                             sum->first_site, sum->entries});
  }
}

void flow_calls_add(struct places *places, const struct process_recording *process,
                    struct map *explained) {
  struct adding adding = {.places = places, .profile = places->profile, .process = process};
  if (!process->point_count) return;
  for (size_t i = 0; i < process->point_count; i++)
    map_find_or_add(&adding.counts, process->points[i].address, 0, (uint32_t)i);
  for (size_t i = 0; i < process->object_count; i++) {
    const struct object_entry *object = &process->objects[i];
    struct core_program program;
    size_t bytes;
    const char *text = object->world ? world_core(object->world, &bytes) : NULL;
    if (!text || core_forms_read(text, bytes, &program) != 0) continue;
    closure_flow_find(&program);
    adding.start = object->start;
    if (!program.too_large && possible_calls_of(&program) <= MOST_CALLS)
      add_world(&adding, &program);
    else
      adding.profile->processes[adding.profile->process_count - 1].hindrances |= HINDRANCE_FLOW;
    core_program_free(&program);
  }
  add_counts(&adding, explained);
  map_free(&adding.counts);
  map_free(&adding.entries);
  free(adding.sums);
}
