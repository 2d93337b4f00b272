#include "attribution/counts/counted_calls.h"

#include <string.h>

#include "recording/history.h"

static uint32_t entered_id(struct counting *counting, uint32_t function) {
  uint32_t id = map_find_or_add(&counting->entered, function, 0, counting->entered_count);
  if (id == counting->entered_count) {
    ARRAY_GROW(counting->entries, counting->entered_count);
    ARRAY_GROW(counting->from_sites, counting->entered_count);
    ARRAY_GROW(counting->functions, counting->entered_count);
    counting->entries[id] = counting->from_sites[id] = 0;
    counting->functions[counting->entered_count++] = function;
    counting->adder->places->profile->functions[function].kind = FUNCTION_COUNTED;
  }
  return id;
}

/* `place` is the point in the code's description. */
static void add_calls(struct counting *counting, struct profile_site site, const void *place,
                      uint64_t calls) {
  struct places *places = counting->adder->places;
  uint32_t id = builder_site(places->builder, site, (uintptr_t)place);
  profile_add_count(places->profile, (struct profile_count){counting->process_id, id, calls});
}

/* Through which inlined calls the code of a function came there. */
static uint32_t origin_of(const struct counting *counting, const struct loaded *loaded,
                          const struct counted_code *code, uint32_t number) {
  const struct counted_origins *origins = &loaded->origins[code - loaded->counted->list.code];
  return counted_origins_expansion(counting->adder->places->builder, origins, number);
}

/* The function whose source holds a call, as sampled stacks have it: what was inlined they know
 * where the function has debug information. A copy of the callee that was inlined does not call it:
 * no call entered the copy, so this is the one that does, by whom the copy was inlined into. */
static uint32_t caller_of(const struct counting *counting, uint32_t within, uint32_t expansion,
                          uint32_t callee) {
  const struct profile *profile = counting->adder->places->profile;
  if (!profile->functions[within].file) return within;
  for (uint32_t at = expansion; at != NOTHING; at = profile->expansions[at].parent) {
    uint32_t function = profile->expansions[at].function;
    if (function != NOTHING && function != callee) return function;
  }
  return within;
}

/* The compiler moved a part of the function out of line: going there is no call. Without debug
 * information the two may not be known to be one function, but by their names. */
static bool goes_on(const struct counting *counting, const struct counted_code *code,
                    struct counted_target caller, struct counted_target callee) {
  const struct profile_function *functions = counting->adder->places->profile->functions;
  if (!callee.piece || caller.piece) return false;
  if (caller.function == callee.function) return true;
  const char *linkage = functions[callee.function].linkage;
  if (!linkage || (functions[caller.function].file && functions[callee.function].file))
    return false;
  size_t length = strcspn(code->name, ".");
  return strcspn(linkage, ".") == length && strncmp(code->name, linkage, length) == 0;
}

/* `point` is the `number`-th of the function `code`. */
static void add_site(struct counting *counting, const struct loaded *loaded,
                     const struct counted_code *code, uint32_t number, struct counted_target callee,
                     uint64_t calls) {
  const struct counted_point *point = &code->points[number];
  struct counted_target caller = counting_target(counting, loaded, code);
  uint32_t id = entered_id(counting, callee.function);
  if (goes_on(counting, code, caller, callee)) {
    counting->entries[id] -= calls;
    return;
  }
  counting->from_sites[id] += calls;
  uint32_t expansion = origin_of(counting, loaded, code, point->origin);
  struct profile_site site = {.caller =
                                  caller_of(counting, caller.function, expansion, callee.function),
                              .callee = callee.function,
                              .within = caller.function,
                              .object = loaded->object,
                              .file = counted_path(counting->adder->places, code, point->file),
                              .line = point->line,
                              .column = point->column,
                              .expansion = expansion};
  add_calls(counting, site, point, calls);
}

static void add_direct(struct counting *counting, const struct loaded *loaded,
                       const struct counted_code *code, uint32_t number, uint64_t calls) {
  const struct counted_callee *named = &code->unit->callees[code->points[number].callee];
  const struct counted_code *called =
      named->code == NO_CODE ? NULL : &loaded->counted->list.code[named->code];
  struct counted_target callee;
  /* One that others may call by its name may itself be another object's of that name. */
  if (called && !called->is_public)
    callee = counting_target(counting, loaded, called);
  else if (!counting_named(counting, loaded, counted_code_text(code, named->name), called, &callee))
    return;
  add_site(counting, loaded, code, number, callee, calls);
}

/* Whether all that its counters counted is in the recording. */
static bool is_whole(const struct process_recording *process, const struct loaded *loaded) {
  return loaded->entry->count && !process->truncated && !process->header.drops[DROP_COUNTERS];
}

static void add_entries(struct counting *counting, const struct loaded *loaded,
                        const struct counted_code *code) {
  uint64_t calls = counter_entries(&loaded->values, code);
  uint32_t function = counting_target(counting, loaded, code).function;
  /* That it was never called is known, too. */
  if (is_whole(counting->process, loaded))
    counting->adder->places->profile->functions[function].kind = FUNCTION_COUNTED;
  if (!calls) return;
  uint32_t id = entered_id(counting, function);
  counting->entries[id] += calls;
}

/* ---- calls through pointers ---- */

static void add_pointed(struct counting *counting, const struct loaded *loaded,
                        const struct counted_code *code, uint32_t number, uint64_t address,
                        uint64_t calls) {
  struct function_entry pointed = {.address = address, .epoch = UINT64_MAX};
  struct counted_target callee;
  if (counting_pointed(counting, &pointed, &callee))
    add_site(counting, loaded, code, number, callee, calls);
}

static void add_indirect(struct counting *counting, const struct transition_entry *transition) {
  const struct context_entry *to = &counting->process->contexts[transition->to];
  const struct loaded *loaded = counting_counters_at(counting, transition->site);
  bool cell = loaded != NULL;
  if (!loaded) loaded = counting_object_at(counting, transition->site, UINT64_MAX);
  struct counted_target callee;
  uint32_t number;
  if (!loaded || !to->length) return;
  uint32_t running = history_function(to->history[to->length - 1]);
  const struct counted_code *code =
      cell ? counted_object_cell(loaded->counted, transition->site - loaded->bias, &number)
           : counted_object_site(loaded->counted, transition->site - loaded->bias, &number);
  if (code && counting_pointed(counting, &counting->process->functions[running], &callee))
    add_site(counting, loaded, code, number, callee, transition->count);
}

/* ---- all of them ---- */

static void add_sites(struct counting *counting, const struct loaded *loaded,
                      const struct counted_code *code) {
  for (uint32_t i = 0; i < code->point_count; i++) {
    const struct counted_point *point = &code->points[i];
    uint64_t pointed, through;
    if (counter_callee(code, point, &loaded->memory, &pointed, &through))
      add_pointed(counting, loaded, code, i, pointed, through);
    if (point->kind != POINT_CALL) continue;
    uint64_t calls = counter_passes(&loaded->values, code, point);
    if (calls) add_direct(counting, loaded, code, i, calls);
  }
}

typedef void adding(struct counting *counting, const struct loaded *loaded,
                    const struct counted_code *code);

static void for_each_function(struct counting *counting, adding *add) {
  for (size_t i = 0; i < counting->loaded_count; i++)
    for (size_t k = 0; k < counting->loaded[i].counted->list.count; k++)
      add(counting, &counting->loaded[i], &counting->loaded[i].counted->list.code[k]);
}

/* Called by code without counters: by libc, by the kernel. */
static void add_rest(struct counting *counting, uint32_t id) {
  uint64_t entries = counting->entries[id], known = counting->from_sites[id];
  if (known >= entries) return;
  struct profile_site site = {.caller = NOTHING,
                              .callee = counting->functions[id],
                              .within = NOTHING,
                              .object = NOTHING,
                              .expansion = NOTHING};
  add_calls(counting, site, NULL, entries - known);
}

void counted_calls_add(struct counting *counting) {
  const struct process_recording *process = counting->process;
  for_each_function(counting, add_entries);
  for_each_function(counting, add_sites);
  for (size_t i = 0; i < process->transition_count; i++)
    if (process->transitions[i].indirect) add_indirect(counting, &process->transitions[i]);
  for (uint32_t i = 0; i < counting->entered_count; i++)
    add_rest(counting, i);
}
