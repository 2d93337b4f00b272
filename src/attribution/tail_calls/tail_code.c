#include "attribution/tail_calls/tail_code.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/call_sites.h"
#include "symbols/demangle.h"

/* In by_linkage. */
#define SEVERAL (NOTHING - 1)

struct jump_list {
  struct tail_jump *jumps;
  size_t count;
  bool complete;
};

/* A function that was never entered through a hook, and that no tick fell into. */
struct unmet_code {
  uint32_t object;
  uint64_t address;
};

/* ---- targets ---- */

static void read_names(struct tail_code_reader *reader) {
  struct profile *profile = reader->places->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    if (function->kind != FUNCTION_COUNTED || !function->linkage) continue;
    char *base = memory_text_part(function->linkage, demangle_base_length(function->linkage));
    uintptr_t name = (uintptr_t)pool_string(profile->pool, base);
    free(base);
    if (map_find_or_add(&reader->by_linkage, name, 0, i) != i)
      map_find_or_add(&reader->by_linkage, name, 1, SEVERAL);
  }
  reader->names_read = true;
}

/* The function with hooks that has this name; NOTHING or SEVERAL. */
static uint32_t named(struct tail_code_reader *reader, const char *text) {
  if (!reader->names_read) read_names(reader);
  uintptr_t name = (uintptr_t)pool_string(reader->places->profile->pool, text);
  bool several = map_find(&reader->by_linkage, name, 1) == SEVERAL;
  return several ? SEVERAL : map_find(&reader->by_linkage, name, 0);
}

static uint32_t unmet_id(struct tail_code_reader *reader, uint32_t object, uint64_t address) {
  uint32_t id = map_find_or_add(&reader->unmet_ids, object, address, reader->unmet_count);
  if (id == reader->unmet_count) {
    ARRAY_GROW(reader->unmet, reader->unmet_count);
    reader->unmet[reader->unmet_count++] = (struct unmet_code){object, address};
  }
  return reader->places->profile->function_count + id;
}

/* The id of a target in `object`; NOTHING: a function of another object that has no hooks;
 * SEVERAL: cannot be told. */
static uint32_t target_id(struct tail_code_reader *reader, uint32_t object,
                          const struct call_target *target) {
  if (!target->address) return target->name ? named(reader, target->name) : SEVERAL;
  uint32_t function = places_met(reader->places, object, target->address);
  return function != NOTHING ? function : unmet_id(reader, object, target->address);
}

static uint32_t site_target(void *data, const struct profile_site *site) {
  struct tail_code_reader *reader = data;
  struct symbol_file *file = reader->places->files[site->object];
  uint64_t address = symbol_file_address(file, site->offset - 1);
  struct call_target target;
  if (!address || symbol_file_call_target(file, address + 1, &target) != 0) return NOTHING;
  uint32_t id = target_id(reader, site->object, &target);
  return id < reader->places->profile->function_count ? id : NOTHING;
}

/* ---- jumps ---- */

static bool has_jump(const struct jump_list *list, const struct tail_jump *jump) {
  for (size_t i = 0; i < list->count; i++)
    if (list->jumps[i].to == jump->to && list->jumps[i].object == jump->object &&
        list->jumps[i].offset == jump->offset)
      return true;
  return false;
}

static void locate(struct tail_code_reader *reader, uint32_t object, uint64_t end,
                   struct tail_jump *jump) {
  struct symbol_file *file = reader->places->files[object];
  struct source_position position;
  uint64_t offset;
  if (!end || symbol_file_offset(file, end - 1, &offset) != 0) return;
  jump->object = object;
  jump->offset = offset + 1;
  if (symbol_file_line(file, end - 1, &position) != 0) return;
  jump->file = pool_string(reader->places->profile->pool, position.file);
  jump->line = position.line;
}

static void add_jump(struct tail_code_reader *reader, struct jump_list *list, uint32_t object,
                     const struct tail_call *call) {
  struct tail_jump jump = {.to = target_id(reader, object, &call->target), .object = NOTHING};
  if (jump.to == SEVERAL) list->complete = false;
  if (jump.to == SEVERAL || jump.to == NOTHING) return;
  locate(reader, object, call->end, &jump);
  if (has_jump(list, &jump)) return;
  ARRAY_GROW(list->jumps, list->count);
  list->jumps[list->count++] = jump;
}

/* Add the tail calls of the code around an address.  Of code without hooks and without debug
 * information (libraries) it is not supposed that it jumps to the program's functions. */
static void read_jumps(struct tail_code_reader *reader, struct jump_list *list, uint32_t object,
                       uint64_t address, bool counted) {
  struct tail_call *calls;
  size_t count;
  if (symbol_file_tail_calls(reader->places->files[object], address, &calls, &count) != 0) {
    if (counted) list->complete = false;
    return;
  }
  for (size_t i = 0; i < count; i++)
    add_jump(reader, list, object, &calls[i]);
  free(calls);
}

static void group_places(struct tail_code_reader *reader) {
  const struct places *places = reader->places;
  size_t function_count = places->profile->function_count;
  size_t *first = memory_zeroed(function_count + 2, sizeof *first);
  uint32_t *grouped = memory_zeroed(places->place_count, sizeof *grouped);
  for (size_t i = 0; i < places->place_count; i++)
    if (places->list[i].function != NOTHING) first[places->list[i].function + 2]++;
  for (size_t i = 2; i < function_count + 2; i++)
    first[i] += first[i - 1];
  for (size_t i = 0; i < places->place_count; i++)
    if (places->list[i].function != NOTHING) grouped[first[places->list[i].function + 1]++] = i;
  reader->first_place = first;
  reader->by_function = grouped;
}

/* A function's copies and pieces are symbols of their own. */
static void read_function(struct tail_code_reader *reader, struct jump_list *list,
                          uint32_t function) {
  struct places *places = reader->places;
  bool counted = places->profile->functions[function].kind == FUNCTION_COUNTED;
  struct map symbols = {0};
  if (!reader->by_function) group_places(reader);
  list->complete = true;
  for (size_t i = reader->first_place[function]; i < reader->first_place[function + 1]; i++) {
    const struct place *place = &places->list[reader->by_function[i]];
    uint32_t object = place->object;
    if (object == NOTHING) continue;
    uint64_t address = symbol_file_address(places->files[object], place->offset);
    struct symbol symbol;
    if (symbol_file_function(places->files[object], address, &symbol) != 0 ||
        map_find_or_add(&symbols, object, symbol.address, i) != i)
      continue;
    read_jumps(reader, list, object, symbol.address, counted);
  }
  if (!symbols.count && counted) list->complete = false;
  map_free(&symbols);
}

static void read_list(struct tail_code_reader *reader, struct jump_list *list, uint32_t id) {
  uint32_t function_count = reader->places->profile->function_count;
  if (id < function_count) {
    read_function(reader, list, id);
    return;
  }
  struct unmet_code code = reader->unmet[id - function_count];
  list->complete = true;
  read_jumps(reader, list, code.object, code.address, false);
}

static bool jumps_of(void *data, uint32_t id, const struct tail_jump **jumps, size_t *count) {
  struct tail_code_reader *reader = data;
  uint32_t at = map_find_or_add(&reader->lists_by_id, id, 0, reader->list_count);
  if (at == reader->list_count) {
    struct jump_list list = {0};
    read_list(reader, &list, id);
    ARRAY_GROW(reader->lists, reader->list_count);
    reader->lists[reader->list_count++] = list;
  }
  *jumps = reader->lists[at].jumps;
  *count = reader->lists[at].count;
  return reader->lists[at].complete;
}

void tail_code_open(struct tail_code_reader *reader, struct places *places) {
  *reader = (struct tail_code_reader){
      .code = {.data = reader, .target = site_target, .jumps = jumps_of}, .places = places};
}

void tail_code_close(struct tail_code_reader *reader) {
  for (size_t i = 0; i < reader->list_count; i++)
    free(reader->lists[i].jumps);
  free(reader->lists);
  free(reader->unmet);
  free(reader->first_place);
  free(reader->by_function);
  map_free(&reader->lists_by_id);
  map_free(&reader->unmet_ids);
  map_free(&reader->by_linkage);
}
