#include "attribution/counts/counting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of objects may move. */
static const struct counted_object *counted_object(struct counter_adder *adder, uint32_t object) {
  uint32_t id = map_find_or_add(&adder->object_ids, object, 0, adder->object_count);
  if (id == adder->object_count) {
    ARRAY_GROW(adder->objects, adder->object_count);
    struct counted_object *made = &adder->objects[adder->object_count++];
    counted_object_read(adder->places, object, made);
  }
  return &adder->objects[id];
}

#define ANOTHER_BUILD                                                                              \
  "the file or its debug file is from another build than the program that ran: what its counters " \
  "counted is not "                                                                                \
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
  uint32_t recorded = recording_object_at(counting->process, entry->code, entry->epoch);
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
      counted_object_say(counting->adder->places->profile, loaded->object, ANOTHER_BUILD);
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

/* A function that has no code of its own, perhaps a copy of one that has: its name tells. */
static uint32_t function_by_name(struct counter_adder *adder, uint32_t object,
                                 const struct counted_code *code) {
  uint32_t known = map_find(&adder->unplaced, (uintptr_t)code, 0);
  if (known != UINT32_MAX) return known;
  const char *file = counted_path(adder->places, code, code->file);
  uint32_t function = places_inlined(adder->places, object, code->name, file, code->line);
  return map_find_or_add(&adder->unplaced, (uintptr_t)code, 0, function);
}

struct counted_target counting_target(struct counting *counting, const struct loaded *loaded,
                                      const struct counted_code *code) {
  struct places *places = counting->adder->places;
  if (!code->address)
    return (struct counted_target){function_by_name(counting->adder, loaded->object, code), false};
  uint32_t place = places_find(places, code->address + loaded->bias, loaded->entry->epoch);
  return (struct counted_target){places_function(places, place, true),
                                 places_get(places, place)->piece};
}

static const struct counted_code *code_at(const struct loaded *loaded, uint64_t address) {
  const struct named_object object = {.list = &loaded->counted->list};
  return named_object_code(&object, address);
}

bool counting_named(struct counting *counting, const struct loaded *from, const char *name,
                    const struct counted_code *here, struct counted_target *target) {
  size_t object, index = from ? (size_t)(from - counting->loaded) : SIZE_MAX;
  const struct counted_code *code;
  if (!name_scope_find(&counting->scope, index, name, here, &object, &code)) return false;
  *target = counting_target(counting, &counting->loaded[object], code);
  return true;
}

/* ---- pointers ---- */

const struct loaded *counting_object_at(const struct counting *counting, uint64_t address,
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

/* The object whose counters an address is among. */
const struct loaded *counting_counters_at(const struct counting *counting, uint64_t address) {
  for (size_t i = 0; i < counting->loaded_count; i++) {
    const struct counters_entry *entry = counting->loaded[i].entry;
    if (address >= entry->start && address - entry->start < entry->count * sizeof(uint64_t))
      return &counting->loaded[i];
  }
  return NULL;
}

bool counting_pointed(struct counting *counting, const struct function_entry *pointed,
                      struct counted_target *target) {
  const struct loaded *loaded = counting_object_at(counting, pointed->address, pointed->epoch);
  const struct counted_code *code =
      loaded ? code_at(loaded, pointed->address - loaded->bias) : NULL;
  if (code) {
    *target = counting_target(counting, loaded, code);
    return true;
  }
  struct places *places = counting->adder->places;
  uint32_t recorded = recording_object_at(counting->process, pointed->address, pointed->epoch);
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
  return counting_named(counting, loaded, name, NULL, target);
}

/* ---- all of it ---- */

static void find_origins(struct counting *counting, struct loaded *loaded) {
  const struct counted_code_list *list = &loaded->counted->list;
  loaded->origins = memory_zeroed(list->count, sizeof *loaded->origins);
  for (size_t i = 0; i < list->count; i++)
    counted_origins_open(counting->adder->places, loaded->object,
                         counting_target(counting, loaded, &list->code[i]).function, &list->code[i],
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

void counting_open(struct counting *counting, struct counter_adder *adder,
                   const struct process_recording *process) {
  *counting = (struct counting){
      .adder = adder, .process = process, .process_id = adder->places->profile->process_count - 1};
  load_all(counting);
  name_all(counting);
  for (size_t i = 0; i < counting->loaded_count; i++)
    find_origins(counting, &counting->loaded[i]);
}

void counting_close(struct counting *counting) {
  for (size_t i = 0; i < counting->loaded_count; i++)
    unload(&counting->loaded[i]);
  free(counting->loaded);
  free(counting->named);
  name_scope_close(&counting->scope);
  free(counting->entries);
  free(counting->from_sites);
  free(counting->functions);
  map_free(&counting->entered);
}
