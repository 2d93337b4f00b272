#include "attribution/recorded/block_types.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/allocated_type.h"
#include "attribution/allocation_place.h"
#include "recording/history.h"
#include "symbols/call_sites.h"

/* ---- by names of functions ---- */

#define STRING "std::string"

static struct allocating_function *function_at(struct block_types *types, uint32_t function) {
  size_t known = types->function_count, count = types->frames->profile->function_count;
  if (known < count) {
    types->functions = memory_resized(types->functions, count, sizeof *types->functions);
    memset(types->functions + known, 0, (count - known) * sizeof *types->functions);
    types->function_count = count;
  }
  return &types->functions[function];
}

/* What the function that called operator new, or an allocator of C++'s library, made room for. */
static const struct allocating_function *type_of(struct block_types *types, uint32_t function) {
  struct allocating_function *type = function_at(types, function);
  if (type->is_known) return type;
  const struct profile *profile = types->frames->profile;
  const char *name = profile->functions[function].name;
  size_t bytes;
  const char *start = allocated_type(name, &bytes);
  if (start) {
    char *text = memory_printed("%.*s", (int)bytes, start);
    type->name = builder_text(types->frames->places->builder, text);
    free(text);
  } else if (allocates_string(name)) {
    type->name = STRING;
  }
  type->is_library = allocation_passes_over(profile, function);
  type->is_allocator = allocates_plainly(name);
  type->is_known = true;
  return type;
}

/* The type that the allocator makes room for which called operator new, or malloc; or null.  Where
 * it is char, a string may be further out.  What else C++'s library allocates, for an exception or
 * a pool, is of no type that an allocator further out names. */
static const char *type_by_names(struct block_types *types, const struct profile_tick *tick) {
  const struct profile *profile = types->frames->profile;
  const char *found = NULL;
  uint32_t line = tick->line;
  for (uint32_t at = tick->stack;; at = profile->stacks[at].parent) {
    if (line != NOTHING) {
      uint32_t function = profile->lines[line].function;
      const struct allocating_function *of = type_of(types, function);
      if (!of->is_library) return found;
      if (of->name && (!found || strcmp(of->name, STRING) == 0)) found = of->name;
      if (!found && !of->is_allocator) return NULL;
      if (found && strcmp(found, "char") != 0) return found;
    }
    if (at == NOTHING) return found;
    line = profile_stack_line(profile, at);
  }
}

/* ---- by what the compiler said ---- */

static const struct allocation_types *types_in(struct block_types *types, uint32_t object) {
  size_t known = types->object_count, count = types->frames->profile->object_count;
  if (known < count) {
    types->objects = memory_resized(types->objects, count, sizeof *types->objects);
    memset(types->objects + known, 0, (count - known) * sizeof *types->objects);
    types->object_count = count;
  }
  struct allocating_object *at = &types->objects[object];
  if (!at->is_known) symbol_file_allocations(types->frames->places->files[object], &at->types);
  at->is_known = true;
  return &at->types;
}

/* A walk from the allocator outwards. */
struct search {
  struct block_types *types;
  bool is_result;    /* the last function returned the block to the one at hand */
  const char *found; /* or null */
};

/* Whether the next frame further out may know more. */
static bool look(struct search *search, uint32_t object, const struct place_frame *frame) {
  const struct stack_frames *frames = search->types->frames;
  const struct profile_function *function = &frames->profile->functions[frame->function];
  const struct allocation_place *place = NULL;
  if (object != NOTHING && frame->file && frame->column)
    place = allocation_types_find(types_in(search->types, object),
                                  &(struct allocation_asked){.function = function->name,
                                                             .linkage = function->linkage,
                                                             .file = frame->file,
                                                             .line = frame->line,
                                                             .column = frame->column});
  bool counts = place && (place->by_allocator || search->is_result);
  search->is_result = counts && !place->type[0];
  if (!counts) return !place && type_of(search->types, frame->function)->is_allocator;
  if (search->is_result) return true;
  char *name = allocation_type_name(place);
  if (name) search->found = builder_text(frames->places->builder, name);
  free(name);
  return false;
}

/* The type that the debug information gives for the call at this place, or null. */
static const char *type_at_call(struct block_types *types, const struct place *place) {
  if (place->object == NOTHING || !place->link_address) return NULL;
  uint32_t id =
      map_find_or_add(&types->calls, place->object, place->offset, (uint32_t)types->named_count);
  if (id < types->named_count) return types->named[id];
  struct places *places = types->frames->places;
  char *name = symbol_file_allocated_type(places->files[place->object], place->link_address + 1);
  ARRAY_GROW(types->named, types->named_count);
  types->named[types->named_count++] = name ? builder_text(places->builder, name) : NULL;
  free(name);
  return types->named[id];
}

static bool look_at_call(struct search *search, const struct function_entry *call) {
  struct places *places = search->types->frames->places;
  if (call->kind == ENTRY_CUT) return false;
  uint32_t id = places_find(places, CALLING_BYTE(call->address), call->epoch), count;
  const struct place place = *places_get(places, id);
  if (place.runtime) return true;
  search->found = type_at_call(search->types, &place);
  if (search->found) return false;
  const struct place_frame *frames = places_frames(places, id, &count);
  while (count--)
    if (!look(search, place.object, &frames[count])) return false;
  return true;
}

static const char *type_by_compiler(struct block_types *types, uint32_t id) {
  const struct process_recording *process = types->frames->process;
  const struct context_entry *context = &process->contexts[id];
  struct search search = {.types = types};
  for (uint32_t i = context->length; i--;)
    if (!look_at_call(&search, &process->functions[history_function(context->history[i])])) break;
  return search.found;
}

const char *block_type(struct block_types *types, const struct profile_tick *tick,
                       uint32_t context) {
  const char *by_names = type_by_names(types, tick);
  return by_names ? by_names : type_by_compiler(types, context);
}

void block_types_close(struct block_types *types) {
  for (size_t i = 0; i < types->object_count; i++)
    allocation_types_free(&types->objects[i].types);
  free(types->objects);
  free(types->functions);
  map_free(&types->calls);
  free(types->named);
}
