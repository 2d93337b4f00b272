#include "attribution/counts/counted_points.h"

#include "attribution/equations/flow_calls.h"
#define ASCRIBE_RUNTIME /* the contract only */
#include "ascribe/host.h"
#include "base/hash_index.h"
#include "recording/history.h"

struct adding {
  struct places *places;
  const struct process_recording *process;
  struct map explained; /* functions whose callers follow from equations */
  struct map entered;   /* addresses of functions whose calls were counted with their contexts */
  bool has_expressions;
  struct map ranges; /* of ASCRIBE_EXPRESSION: see is_counted_apart */
};

static bool definition_of(const struct process_recording *process, uint64_t address,
                          struct key_definition *at) {
  uint32_t object = recording_object_at(process, address, UINT64_MAX);
  const struct object_entry *entry = object == NOTHING ? NULL : &process->objects[object];
  return entry && entry->world && world_find(entry->world, address - entry->start, at);
}

/* The file is in it by where its text is: it is one text in a recording. */
static uint64_t range_key(const struct key_definition *at) {
  return ((uint64_t)at->line << 32 | at->column) ^ hash_mix((uintptr_t)at->file);
}

static uint64_t end_key(const struct key_definition *at) {
  return (uint64_t)at->end_line << 32 | at->end_column;
}

static void note_ranges(struct adding *adding) {
  struct key_definition at;
  for (size_t i = 0; i < adding->process->point_count; i++)
    if (definition_of(adding->process, adding->process->points[i].address, &at) &&
        at.place == ASCRIBE_EXPRESSION) {
      map_find_or_add(&adding->ranges, range_key(&at), end_key(&at), 0);
      adding->has_expressions = true;
    }
}

/* The text of a function may be an expression of another, which makes the procedure: how often that
 * was done is its count, not how often the function was called; a function of which only the
 * beginning is known has no text of its own, where there are expressions.  And a call's own counter
 * stands in the place of its expression. */
static bool is_counted_apart(const struct adding *adding, const struct key_definition *at) {
  bool is_either = !at->within || at->place == ASCRIBE_CALL;
  if (!at->within && !at->end_line && adding->has_expressions) return true;
  return is_either && map_find(&adding->ranges, range_key(at), end_key(at)) != NOTHING;
}

static void note_entered(struct adding *adding) {
  const struct process_recording *process = adding->process;
  for (size_t i = 0; i < process->transition_count; i++) {
    const struct context_entry *to = &process->contexts[process->transitions[i].to];
    if (!to->length) continue;
    uint32_t function = history_function(to->history[to->length - 1]);
    uint64_t address = process->functions[function].address;
    if (address & IN_WORLD) map_find_or_add(&adding->entered, address, 0, 0);
  }
}

/* Nobody knows who called. */
static void add_calls(struct adding *adding, uint32_t function, const struct point_entry *point) {
  struct profile *profile = adding->places->profile;
  if (map_find(&adding->entered, point->address, 0) != NOTHING) return;
  if (map_find(&adding->explained, function, 0) != NOTHING) return;
  profile->functions[function].kind = FUNCTION_COUNTED;
  if (!point->count) return;
  const struct profile_site site = {.caller = NOTHING,
                                    .callee = function,
                                    .within = NOTHING,
                                    .object = NOTHING,
                                    .expansion = NOTHING};
  uint32_t id = builder_site(adding->places->builder, site, 0);
  profile_add_count(profile,
                    (struct profile_count){(uint32_t)profile->process_count - 1, id, point->count});
}

static enum expression_kind kind_of(uint32_t place, uint32_t *way) {
  switch (place) {
  case ASCRIBE_BRANCH_TRUE:
  case ASCRIBE_BRANCH_FALSE:
    *way = place - ASCRIBE_BRANCH_TRUE;
    return EXPRESSION_BRANCH;
  case ASCRIBE_LOOP_ENTRY:
  case ASCRIBE_LOOP_TRIP:
    *way = place - ASCRIBE_LOOP_ENTRY;
    return EXPRESSION_LOOP;
  default:
    *way = 0;
    return EXPRESSION_CODE;
  }
}

static void add_point(struct adding *adding, const struct point_entry *point) {
  struct places *places = adding->places;
  struct key_definition at;
  if (!definition_of(adding->process, point->address, &at)) return;
  uint32_t place = places_find(places, point->address, UINT64_MAX);
  uint32_t function = places_function(places, place, false);
  struct profile_expression expression = {.function = function,
                                          .file = places_get(places, place)->file,
                                          .line = at.line,
                                          .column = at.column,
                                          .end_line = at.end_line,
                                          .end_column = at.end_column,
                                          .count = point->count};
  expression.kind = kind_of(at.place, &expression.way);
  if (!at.within) add_calls(adding, function, point);
  if (expression.file && expression.line && !is_counted_apart(adding, &at))
    builder_expression(places->builder, expression);
}

void counted_points_add(struct places *places, const struct process_recording *process) {
  struct adding adding = {.places = places, .process = process};
  if (!process->point_count) return;
  note_entered(&adding);
  note_ranges(&adding);
  flow_calls_add(places, process, &adding.explained);
  for (size_t i = 0; i < process->point_count; i++)
    add_point(&adding, &process->points[i]);
  map_free(&adding.entered);
  map_free(&adding.explained);
  map_free(&adding.ranges);
}
