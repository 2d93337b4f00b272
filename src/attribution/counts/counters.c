#include "attribution/counts/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/counts/counted_expressions.h"
#include "attribution/counts/counted_origins.h"
#include "attribution/counts/counter_values.h"
#include "attribution/counts/name_scope.h"
#include "recording/history.h"
#include "symbols/counted_code.h"

/* The functions with counters of one object of the profile. */
struct counted_object {
  struct counted_code_list list;
  struct linkage linkage;
  struct map cells; /* link-time address of a call's cell -> index of its function in `list` */
};

/* An object with counters in the process at hand. */
struct loaded {
  const struct counters_entry *entry;
  uint32_t object;                      /* of the profile */
  const struct counted_object *counted; /* the same */
  uint64_t bias;                        /* address in the process - link-time address */
  struct counter_memory memory;
  struct counter_values values;    /* of `counted` */
  struct counted_origins *origins; /* by function of `counted` */
};

/* A function with counters in the process. */
struct target {
  uint32_t function; /* of the profile, or NOTHING: nothing of its name */
  bool piece;
};

struct counting {
  struct counter_adder *adder;
  const struct process_recording *process;
  uint32_t process_id;
  size_t *site_room;
  struct loaded *loaded;
  size_t loaded_count;
  struct named_object *named; /* by loaded object */
  struct name_scope scope;
  struct map entered;   /* function -> index in the next two */
  uint64_t *entries;    /* calls that entered it */
  uint64_t *from_sites; /* those of them that a call site counted */
  uint32_t *functions;
  size_t entered_count, entered_room, entries_room, from_room;
};

/* ---- objects ---- */

static void say(struct profile *profile, uint32_t object, const char *what) {
  char text[1200];
  snprintf(text, sizeof text, "%s: %s", profile->objects[object].path, what);
  profile->objects[object].message = pool_string(profile->pool, text);
}

#define NOT_KNOWN                                                                                  \
  ": what its counters counted is not known; build it with ascribe cc again, without stripping "   \
  "it, or put its debug file where it is found"

static bool lacks_source(const struct counted_code_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->code[i].lacks_source) return true;
  return false;
}

static uint64_t cell_address(const struct counted_code *code, const struct counted_point *point) {
  return code->unit->counters + point->cell * sizeof(uint64_t);
}

static void find_cells(struct counted_object *object) {
  for (uint32_t i = 0; i < object->list.count; i++) {
    const struct counted_code *code = &object->list.code[i];
    for (uint32_t point = 0; point < code->point_count; point++)
      if (code->points[point].kind == POINT_INDIRECT)
        map_find_or_add(&object->cells, cell_address(code, &code->points[point]), 0, i);
  }
}

static const char *why_not(int error) {
  switch (error) {
  case COUNTED_CODE_NONE:
    return "it has no descriptions of its counters (" COUNTER_POINTS_SECTION ")" NOT_KNOWN;
  case COUNTED_CODE_VERSION:
    return "the descriptions of its counters are of another version of ascribe cc: what they "
           "counted is not known; build it with this one's";
  case COUNTED_CODE_PACKED:
    return "the descriptions of its counters are compressed in a way that cannot be read here: "
           "what "
           "they counted is not known; link it with --compress-debug-sections=zlib or none";
  default:
    return "the descriptions of its counters are damaged" NOT_KNOWN;
  }
}

static void read_code(struct counter_adder *adder, uint32_t object, struct counted_object *made) {
  struct profile *profile = adder->places->profile;
  struct symbol_file *file = adder->places->files[object];
  int error = symbol_file_counted_code(file, &made->list);
  if (error < 0) {
    say(profile, object, why_not(error));
    return;
  }
  linkage_read(file, &made->linkage);
  find_cells(made);
  if (lacks_source(&made->list))
    say(profile, object,
        "its expressions were counted, but not where they stand in the source: build it with -g");
}

static const struct counted_object *counted_object(struct counter_adder *adder, uint32_t object) {
  uint32_t id = map_find_or_add(&adder->object_ids, object, 0, adder->object_count);
  if (id == adder->object_count) {
    MEMORY_GROW(adder->objects, adder->object_count, adder->object_room);
    struct counted_object *made = &adder->objects[adder->object_count++];
    *made = (struct counted_object){0};
    read_code(adder, object, made);
  }
  return &adder->objects[id];
}

#define ANOTHER_BUILD                                                                              \
  "it, or its debug file, is of another build than what ran: what its counters counted is not "    \
  "known, and its times may stand at wrong functions; record it again, or put back what ran"

/* Counts of another build would be taken for those of whatever has their place in this one. */
static bool is_what_ran(const struct counting *counting, const struct loaded *loaded) {
  const struct counted_code_list *list = &loaded->counted->list;
  for (size_t i = 0; i < list->count; i++) {
    const struct counted_unit *unit = list->code[i].unit;
    uint64_t ran = counter_checksum(unit, &loaded->memory);
    bool cut = !ran && counting->process->truncated;
    if (ran != unit->checksum && !cut) return false;
  }
  return true;
}

/* The object's file cannot be read, which its message says; with it the counts are lost. */
static void say_lost(struct profile *profile, uint32_t object) {
  static const char lost[] = "; what its counters counted is not known";
  const char *message = profile->objects[object].message;
  char text[1200];
  if (!message || strstr(message, lost)) return;
  snprintf(text, sizeof text, "%s%s", message, lost);
  profile->objects[object].message = pool_string(profile->pool, text);
}

static void note_counted(const struct counting *counting, const struct loaded *loaded) {
  uint32_t *counted = &counting->adder->places->profile->objects[loaded->object].counted;
  for (size_t i = 0; i < loaded->counted->list.count; i++)
    *counted |= loaded->counted->list.code[i].from_source ? COUNTED_AS_WRITTEN : COUNTED_OPTIMIZED;
}

static void load(struct counting *counting, const struct counters_entry *entry) {
  struct places *places = counting->adder->places;
  uint32_t recorded = recording_object_at(counting->process, entry->code, entry->event);
  if (recorded == NOTHING) return;
  const struct object_entry *object = &counting->process->objects[recorded];
  uint32_t id = places_object(places, recorded);
  uint64_t link =
      symbol_file_address(places->files[id], entry->code - object->start + object->offset);
  if (!link) {
    say_lost(places->profile, id);
    return;
  }
  counting->loaded[counting->loaded_count++] =
      (struct loaded){.entry = entry, .object = id, .bias = entry->code - link};
  counted_object(counting->adder, id);
}

static void load_all(struct counting *counting) {
  const struct process_recording *process = counting->process;
  counting->loaded = memory_zeroed(process->counters_count, sizeof *counting->loaded);
  for (size_t i = 0; i < process->counters_count; i++)
    load(counting, &process->counters[i]);
  /* The list of objects, which may have moved while it grew, is complete now. */
  for (size_t i = 0; i < counting->loaded_count; i++) {
    struct loaded *loaded = &counting->loaded[i];
    const struct counters_entry *entry = loaded->entry;
    loaded->counted = counted_object(counting->adder, loaded->object);
    loaded->memory =
        (struct counter_memory){entry->start - loaded->bias,
                                entry->count ? process->counts + entry->first : NULL, entry->count};
    if (!is_what_ran(counting, loaded)) {
      static const struct counted_object nothing;
      say(counting->adder->places->profile, loaded->object, ANOTHER_BUILD);
      loaded->counted = &nothing;
    }
    note_counted(counting, loaded);
    counter_values_make(loaded->counted->list.code, loaded->counted->list.count, &loaded->memory,
                        &loaded->values);
    counting->adder->places->profile->processes[counting->process_id].increments +=
        loaded->values.increments;
  }
}

/* ---- functions ---- */

static uint32_t entered_id(struct counting *counting, uint32_t function) {
  uint32_t id = map_find_or_add(&counting->entered, function, 0, counting->entered_count);
  if (id == counting->entered_count) {
    MEMORY_GROW(counting->entries, counting->entered_count, counting->entries_room);
    MEMORY_GROW(counting->from_sites, counting->entered_count, counting->from_room);
    MEMORY_GROW(counting->functions, counting->entered_count, counting->entered_room);
    counting->entries[id] = counting->from_sites[id] = 0;
    counting->functions[counting->entered_count++] = function;
    counting->adder->places->profile->functions[function].kind = FUNCTION_COUNTED;
  }
  return id;
}

/* A function that has no code of its own, perhaps a copy of one that has: its name tells. */
static uint32_t function_by_name(struct counter_adder *adder, uint32_t object,
                                 const struct counted_code *code) {
  uint32_t known = map_find(&adder->unplaced, (uintptr_t)code, 0);
  if (known != UINT32_MAX) return known;
  const char *file = counted_path(adder->places, code, code->file);
  uint32_t function = places_inlined(adder->places, object, code->name, file, code->line);
  return map_find_or_add(&adder->unplaced, (uintptr_t)code, 0, function);
}

static struct target target_at(struct counting *counting, const struct loaded *loaded,
                               const struct counted_code *code) {
  struct places *places = counting->adder->places;
  if (!code->address)
    return (struct target){function_by_name(counting->adder, loaded->object, code), false};
  uint32_t place = places_find(places, code->address + loaded->bias, loaded->entry->event);
  return (struct target){places_function(places, place, true), places_get(places, place)->piece};
}

static const struct counted_code *code_at(const struct loaded *loaded, uint64_t address) {
  const struct named_object object = {.list = &loaded->counted->list};
  return named_object_code(&object, address);
}

static uint64_t entries_of(const struct loaded *loaded, const struct counted_code *code) {
  return counter_entries(&loaded->values, code);
}

static bool find_named(struct counting *counting, const struct loaded *from, const char *name,
                       const struct counted_code *here, struct target *target) {
  size_t object, index = from ? (size_t)(from - counting->loaded) : SIZE_MAX;
  const struct counted_code *code;
  if (!name_scope_find(&counting->scope, index, name, here, &object, &code)) return false;
  *target = target_at(counting, &counting->loaded[object], code);
  return true;
}

static void find_origins(struct counting *counting, struct loaded *loaded) {
  const struct counted_code_list *list = &loaded->counted->list;
  loaded->origins = memory_zeroed(list->count, sizeof *loaded->origins);
  for (size_t i = 0; i < list->count; i++)
    counted_origins_open(counting->adder->places, loaded->object,
                         target_at(counting, loaded, &list->code[i]).function, &list->code[i],
                         &loaded->origins[i]);
}

static void unload(struct loaded *loaded) {
  for (size_t i = 0; i < loaded->counted->list.count; i++)
    counted_origins_close(&loaded->origins[i]);
  free(loaded->origins);
  counter_values_free(&loaded->values);
}

static void name_all(struct counting *counting) {
  struct profile *profile = counting->adder->places->profile;
  counting->named = memory_zeroed(counting->loaded_count, sizeof *counting->named);
  for (size_t i = 0; i < counting->loaded_count; i++) {
    const struct loaded *loaded = &counting->loaded[i];
    counting->named[i] = (struct named_object){.path = profile->objects[loaded->object].path,
                                               .linkage = &loaded->counted->linkage,
                                               .list = &loaded->counted->list,
                                               .values = &loaded->values};
  }
  name_scope_open(&counting->scope, profile->pool, counting->named, counting->loaded_count,
                  counting->process->executable);
}

/* ---- calls ---- */

static void add_calls(struct counting *counting, uint32_t site, uint64_t calls) {
  struct profile *profile = counting->adder->places->profile;
  MEMORY_GROW(profile->counts, profile->count_count, counting->adder->count_room);
  profile->counts[profile->count_count++] =
      (struct profile_count){.process = counting->process_id, .site = site, .calls = calls};
}

static uint32_t site_of(struct counting *counting, const struct profile_site *site, uint64_t key) {
  struct profile *profile = counting->adder->places->profile;
  uint64_t arc = (uint64_t)site->caller << 32 | site->callee;
  uint32_t id = map_find_or_add(&counting->adder->sites, arc, key, profile->site_count);
  if (id == profile->site_count) {
    MEMORY_GROW(profile->sites, profile->site_count, *counting->site_room);
    profile->sites[profile->site_count++] = *site;
  }
  return id;
}

/* Through which inlined calls the code of a function came there. */
static uint32_t origin_of(const struct loaded *loaded, const struct counted_code *code,
                          uint32_t number) {
  const struct counted_origins *origins = &loaded->origins[code - loaded->counted->list.code];
  return number <= origins->count ? origins->expansions[number] : NOTHING;
}

/* The function whose source holds a call, as sampled stacks have it: what was inlined they know
 * where the function has debug information. A part of the callee that was inlined before it goes on
 * out of line calls nothing. */
static uint32_t caller_of(const struct counting *counting, uint32_t within, uint32_t expansion,
                          struct target callee) {
  const struct profile *profile = counting->adder->places->profile;
  if (!profile->functions[within].file) return within;
  for (uint32_t at = expansion; at != NOTHING; at = profile->expansions[at].parent) {
    uint32_t function = profile->expansions[at].function;
    if (function != NOTHING && !(callee.piece && function == callee.function)) return function;
  }
  return within;
}

/* `point` is the `number`-th of the function `code`. */
static void add_site(struct counting *counting, const struct loaded *loaded,
                     const struct counted_code *code, uint32_t number, struct target callee,
                     uint64_t calls) {
  const struct counted_point *point = &code->points[number];
  struct target caller = target_at(counting, loaded, code);
  uint32_t id = entered_id(counting, callee.function);
  if (callee.piece && !caller.piece && caller.function == callee.function) {
    /* The compiler moved a part of the function out of line: going there is no call. */
    counting->entries[id] -= calls;
    return;
  }
  counting->from_sites[id] += calls;
  uint32_t expansion = origin_of(loaded, code, point->origin);
  struct profile_site site = {.caller = caller_of(counting, caller.function, expansion, callee),
                              .callee = callee.function,
                              .within = caller.function,
                              .object = loaded->object,
                              .file = counted_path(counting->adder->places, code, point->file),
                              .line = point->line,
                              .expansion = expansion};
  add_calls(counting, site_of(counting, &site, (uintptr_t)point), calls);
}

static void add_direct(struct counting *counting, const struct loaded *loaded,
                       const struct counted_code *code, uint32_t number, uint64_t calls) {
  const struct counted_callee *named = &code->unit->callees[code->points[number].callee];
  const struct counted_code *called =
      named->code == NO_CODE ? NULL : &loaded->counted->list.code[named->code];
  struct target callee;
  /* One that others may call by its name may itself be another object's of that name. */
  if (called && !called->is_public)
    callee = target_at(counting, loaded, called);
  else if (!find_named(counting, loaded, counted_code_text(code, named->name), called, &callee))
    return;
  add_site(counting, loaded, code, number, callee, calls);
}

static void add_entries(struct counting *counting, const struct loaded *loaded,
                        const struct counted_code *code) {
  uint64_t calls = entries_of(loaded, code);
  uint32_t function = target_at(counting, loaded, code).function;
  /* That it was never called is known, too. */
  counting->adder->places->profile->functions[function].kind = FUNCTION_COUNTED;
  if (!calls) return;
  uint32_t id = entered_id(counting, function);
  counting->entries[id] += calls;
}

/* ---- calls through pointers ---- */

static const struct loaded *loaded_at(const struct counting *counting, uint64_t address,
                                      uint64_t event) {
  uint32_t recorded = recording_object_at(counting->process, address, event);
  if (recorded == NOTHING) return NULL;
  uint32_t object = places_object(counting->adder->places, recorded);
  const struct object_entry *entry = &counting->process->objects[recorded];
  uint64_t link = symbol_file_address(counting->adder->places->files[object],
                                      address - entry->start + entry->offset);
  for (size_t i = 0; i < counting->loaded_count; i++)
    if (counting->loaded[i].object == object && counting->loaded[i].bias == address - link)
      return &counting->loaded[i];
  return NULL;
}

/* The function whose address a pointer had; it may be a stub of an executable's. */
static bool find_pointed(struct counting *counting, const struct function_entry *pointed,
                         struct target *target) {
  const struct loaded *loaded = loaded_at(counting, pointed->address, pointed->event);
  const struct counted_code *code =
      loaded ? code_at(loaded, pointed->address - loaded->bias) : NULL;
  if (code) {
    *target = target_at(counting, loaded, code);
    return true;
  }
  struct places *places = counting->adder->places;
  uint32_t recorded = recording_object_at(counting->process, pointed->address, pointed->event);
  if (recorded == NOTHING) return false;
  const struct object_entry *object = &counting->process->objects[recorded];
  struct symbol_file *file = places->files[places_object(places, recorded)];
  struct symbol symbol;
  uint64_t link = symbol_file_address(file, pointed->address - object->start + object->offset);
  if (!link || symbol_file_function(file, link, &symbol) != 0) return false;
  const char *stub = strstr(symbol.linkage, "@plt");
  if (!stub) return false;
  char name[4096];
  snprintf(name, sizeof name, "%.*s", (int)(stub - symbol.linkage), symbol.linkage);
  return find_named(counting, loaded, name, NULL, target);
}

/* The function before an address and the number of its call through a pointer that the address
 * stands for (CALL_INDIRECT), as the number of its point. */
static const struct counted_code *indirect_point(const struct counted_object *object,
                                                 uint64_t address, uint32_t *number) {
  size_t low = 0, high = object->list.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (object->list.code[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low) return NULL;
  uint64_t start = object->list.code[low - 1].address;
  while (low > 1 && object->list.code[low - 2].address == start)
    low--;
  const struct counted_code *code = &object->list.code[low - 1];
  uint64_t left = address - code->address;
  for (uint32_t i = 0; i < code->point_count; i++)
    if (code->points[i].kind == POINT_INDIRECT && left-- == 0) {
      *number = i;
      return code;
    }
  return NULL;
}

static void add_pointed(struct counting *counting, const struct loaded *loaded,
                        const struct counted_code *code, uint32_t number, uint64_t address,
                        uint64_t calls) {
  struct function_entry pointed = {.address = address, .event = UINT64_MAX};
  struct target callee;
  if (find_pointed(counting, &pointed, &callee))
    add_site(counting, loaded, code, number, callee, calls);
}

/* The object whose counters an address is among. */
static const struct loaded *counters_at(const struct counting *counting, uint64_t address) {
  for (size_t i = 0; i < counting->loaded_count; i++) {
    const struct counters_entry *entry = counting->loaded[i].entry;
    if (address >= entry->start && address - entry->start < entry->count * sizeof(uint64_t))
      return &counting->loaded[i];
  }
  return NULL;
}

/* The call through a pointer that has this cell among its object's counters. */
static const struct counted_code *point_of_cell(const struct loaded *loaded, uint64_t address,
                                                uint32_t *number) {
  uint64_t cell = loaded->memory.start + (address - loaded->entry->start);
  uint32_t index = map_find(&loaded->counted->cells, cell, 0);
  if (index == UINT32_MAX) return NULL;
  const struct counted_code *code = &loaded->counted->list.code[index];
  for (uint32_t point = 0; point < code->point_count; point++)
    if (code->points[point].kind == POINT_INDIRECT &&
        cell_address(code, &code->points[point]) == cell) {
      *number = point;
      return code;
    }
  return NULL;
}

static void add_indirect(struct counting *counting, const struct transition_entry *transition) {
  const struct context_entry *to = &counting->process->contexts[transition->to];
  const struct loaded *loaded = counters_at(counting, transition->site);
  bool cell = loaded != NULL;
  if (!loaded) loaded = loaded_at(counting, transition->site, UINT64_MAX);
  struct target callee;
  uint32_t number;
  if (!loaded || !to->length) return;
  uint32_t running = history_function(to->history[to->length - 1]);
  const struct counted_code *code =
      cell ? point_of_cell(loaded, transition->site, &number)
           : indirect_point(loaded->counted, transition->site - loaded->bias, &number);
  if (code && find_pointed(counting, &counting->process->functions[running], &callee))
    add_site(counting, loaded, code, number, callee, transition->count);
}

static void add_expressions(struct counting *counting, const struct loaded *loaded,
                            const struct counted_code *code) {
  struct counter_adder *adder = counting->adder;
  adder->expressions.profile = adder->places->profile;
  counted_expressions_add(adder->places, code, &loaded->origins[code - loaded->counted->list.code],
                          &loaded->values, &adder->expressions);
}

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

/* ---- processes ---- */

/* The recording knows that there are counters, not what they count. */
static void note_way(const struct counting *counting) {
  struct profile *profile = counting->adder->places->profile;
  uint32_t *ways = &profile->processes[counting->process_id].ways, counted = 0;
  for (size_t i = 0; i < counting->loaded_count; i++)
    counted |= profile->objects[counting->loaded[i].object].counted;
  if (counted & COUNTED_AS_WRITTEN) *ways |= WAY_SOURCE;
  if (counted == COUNTED_AS_WRITTEN) *ways &= ~(uint32_t)WAY_COUNTS;
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
  add_calls(counting, site_of(counting, &site, 0), entries - known);
}

void counters_add(struct counter_adder *adder, const struct process_recording *process,
                  size_t *site_room) {
  if (!process->counters_count) return;
  struct counting counting = {.adder = adder,
                              .process = process,
                              .process_id = adder->places->profile->process_count - 1,
                              .site_room = site_room};
  load_all(&counting);
  note_way(&counting);
  name_all(&counting);
  for (size_t i = 0; i < counting.loaded_count; i++)
    find_origins(&counting, &counting.loaded[i]);
  for_each_function(&counting, add_entries);
  for_each_function(&counting, add_sites);
  for_each_function(&counting, add_expressions);
  for (size_t i = 0; i < process->transition_count; i++)
    if (process->transitions[i].indirect) add_indirect(&counting, &process->transitions[i]);
  for (uint32_t i = 0; i < counting.entered_count; i++)
    add_rest(&counting, i);
  for (size_t i = 0; i < counting.loaded_count; i++)
    unload(&counting.loaded[i]);
  free(counting.loaded);
  free(counting.named);
  name_scope_close(&counting.scope);
  free(counting.entries);
  free(counting.from_sites);
  free(counting.functions);
  map_free(&counting.entered);
}

void counter_adder_close(struct counter_adder *adder) {
  for (size_t i = 0; i < adder->object_count; i++) {
    counted_code_free(&adder->objects[i].list);
    linkage_free(&adder->objects[i].linkage);
    map_free(&adder->objects[i].cells);
  }
  free(adder->objects);
  map_free(&adder->object_ids);
  map_free(&adder->sites);
  map_free(&adder->unplaced);
  expression_table_close(&adder->expressions);
}
