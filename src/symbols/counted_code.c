#include "symbols/counted_code.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/symbol_file.h"

/* Flows move while they grow: a function has the index of its first. */
struct reading {
  struct counted_code_list list;
  size_t code_room, flow_count, flow_room;
  size_t *first_flows;
  size_t first_room;
};

static Elf_Scn *find_section(Elf *elf) {
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names) != 0) return NULL;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name =
        gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    if (name && strcmp(name, COUNTER_POINTS_SECTION) == 0 && header.sh_type != SHT_NOBITS)
      return section;
  }
  return NULL;
}

/* In the object itself, or where its debug information is. */
static Elf_Data *find_data(const struct symbol_file *file) {
  Dwfl_Module *module = symbol_file_module(file);
  if (!module) return NULL;
  GElf_Addr bias;
  Elf_Scn *section = find_section(dwfl_module_getelf(module, &bias));
  if (!section) {
    Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
    section = dwarf ? find_section(dwarf_getelf(dwarf)) : NULL;
  }
  GElf_Shdr header;
  if (!section || !gelf_getshdr(section, &header)) return NULL;
  if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0) return NULL;
  return elf_getdata(section, NULL);
}

/* Whatever else the section holds, names end. */
static bool has_strings(const struct counter_unit *unit) {
  return unit->strings >= sizeof *unit && unit->strings < unit->bytes &&
         ((const char *)unit)[unit->bytes - 1] == '\0';
}

static bool points_make_sense(const struct counter_unit *unit,
                              const struct unit_function *function) {
  const struct unit_point *points = (const void *)(function + 1);
  for (uint32_t i = 0; i < function->point_count; i++) {
    if (points[i].flow != NO_FLOW && points[i].flow >= function->flow_count) return false;
    if (points[i].kind == POINT_INDIRECT &&
        (points[i].cell >= unit->counter_count || unit->counter_count - points[i].cell < 2))
      return false;
  }
  return true;
}

/* ---- flows ---- */

static bool read_number(const uint8_t **at, const uint8_t *end, uint32_t *number) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 35 && *at < end; shift += 7) {
    uint8_t byte = *(*at)++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte & 0x80) continue;
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
  }
  return false;
}

static bool read_flow(const struct counter_unit *unit, const struct unit_function *function,
                      const uint8_t **at, const uint8_t *end, struct counted_flow *flow) {
  uint32_t counter;
  if (!read_number(at, end, &flow->from) || !read_number(at, end, &flow->to) ||
      !read_number(at, end, &counter))
    return false;
  flow->counter = counter - 2;
  return flow->from < function->node_count && flow->to < function->node_count &&
         (counter < 2 || flow->counter < unit->counter_count);
}

static int add_flows(struct reading *reading, const struct counter_unit *unit,
                     const struct unit_function *function, const uint8_t *at) {
  const uint8_t *end = at + function->flow_bytes;
  struct counted_code *code = &reading->list.code[reading->list.count - 1];
  if (function->flow_count > function->flow_bytes / 3 ||
      function->node_count > 2 * (uint64_t)function->flow_count)
    return -1;
  size_t count = reading->flow_count + function->flow_count;
  struct counted_flow *flows =
      array_reserve(reading->list.flows, &reading->flow_room, count + 1, sizeof *flows);
  if (!flows) return -1;
  reading->list.flows = flows;
  while (reading->flow_count < count)
    if (!read_flow(unit, function, &at, end, &flows[reading->flow_count++])) return -1;
  code->source = at;
  code->source_end = end;
  return 0;
}

/* ---- functions ---- */

static int add_function(struct reading *reading, const struct counter_unit *unit,
                        const struct unit_function *function) {
  struct counted_code_list *list = &reading->list;
  struct counted_code *items =
      array_reserve(list->code, &reading->code_room, list->count + 1, sizeof *items);
  if (items) list->code = items;
  size_t *firsts =
      array_reserve(reading->first_flows, &reading->first_room, list->count + 1, sizeof *firsts);
  if (firsts) reading->first_flows = firsts;
  if (!items || !firsts) return -1;
  firsts[list->count] = reading->flow_count;
  struct counted_code *code = &items[list->count++];
  const struct unit_point *points = (const void *)(function + 1);
  *code = (struct counted_code){.address = function->address,
                                .counters = unit->counters,
                                .is_public = function->flags & COUNTED_PUBLIC,
                                .lacks_source = function->flags & COUNTED_WITHOUT_SOURCE,
                                .from_source = function->flags & COUNTED_SOURCE,
                                .points = points,
                                .point_count = function->point_count,
                                .flow_count = function->flow_count,
                                .node_count = function->node_count,
                                .strings = (const char *)unit + unit->strings,
                                .string_bytes = unit->bytes - unit->strings};
  code->name = counted_code_text(code, function->name);
  code->directory = counted_code_text(code, unit->directory);
  return add_flows(reading, unit, function, (const uint8_t *)(points + function->point_count));
}

/* Returns -1 if it makes no sense. */
static int read_unit(struct reading *reading, const struct counter_unit *unit) {
  if (!has_strings(unit)) return -1;
  uint64_t at = sizeof *unit;
  size_t first = reading->list.count;
  uint64_t checksum = counter_checksum_add(COUNTER_CHECKSUM_START, unit->counter_count);
  for (uint32_t i = 0; i < unit->function_count; i++) {
    const struct unit_function *function = (const void *)((const char *)unit + at);
    if (at + sizeof *function > unit->strings || function->flow_bytes % 8) return -1;
    at += sizeof *function + (uint64_t)function->point_count * sizeof(struct unit_point) +
          function->flow_bytes;
    if (at > unit->strings || !points_make_sense(unit, function)) return -1;
    checksum = counter_checksum_add(checksum, function->checksum);
    bool may_have_none = function->flags & COUNTED_SOURCE;
    if (!function->address && !may_have_none) continue;
    if (add_function(reading, unit, function) < 0) return -1;
    reading->list.code[reading->list.count - 1].number = i + 1;
  }
  for (size_t i = first; i < reading->list.count; i++)
    reading->list.code[i].checksum = checksum | COUNTER_CHECKSUM_MARK;
  return 0;
}

static int read_units(struct reading *reading, const char *data, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(struct counter_unit) <= bytes;) {
    const struct counter_unit *unit = (const void *)(data + at);
    if (unit->magic != COUNTER_POINTS_MAGIC || unit->bytes < sizeof *unit || unit->bytes % 8 ||
        unit->bytes > bytes - at || read_unit(reading, unit) < 0)
      return -1;
    at += unit->bytes;
  }
  return 0;
}

static int by_address(const void *left, const void *right) {
  const struct counted_code *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  return (a->counters > b->counters) - (a->counters < b->counters);
}

int counted_code_read(const void *data, size_t bytes, struct counted_code_list *list) {
  struct reading reading = {0};
  int result = (uintptr_t)data % 8 == 0 ? read_units(&reading, data, bytes) : -1;
  for (size_t i = 0; i < reading.list.count && reading.list.flows; i++)
    reading.list.code[i].flows = reading.list.flows + reading.first_flows[i];
  free(reading.first_flows);
  if (result < 0) {
    counted_code_free(&reading.list);
    return -1;
  }
  *list = reading.list;
  if (list->count) qsort(list->code, list->count, sizeof *list->code, by_address);
  return 0;
}

void counted_code_free(struct counted_code_list *list) {
  free(list->code);
  free(list->flows);
}

int symbol_file_counted_code(struct symbol_file *file, struct counted_code_list *list,
                             bool *damaged) {
  const Elf_Data *data = find_data(file);
  *damaged = data && data->d_buf;
  if (!*damaged) return -1;
  int result = counted_code_read(data->d_buf, data->d_size, list);
  *damaged = result < 0;
  return result;
}

/* ---- source ---- */

static bool read_numbers(struct source_ranges *source, uint32_t *numbers, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!read_number(&source->at, source->code->source_end, &numbers[i])) return false;
  return true;
}

static bool read_origin(struct source_ranges *source, struct counted_origin *origin,
                        uint32_t number) {
  uint32_t fields[8];
  if (!read_numbers(source, fields, 8)) return false;
  *origin = (struct counted_origin){fields[0], fields[1], fields[2], fields[3],
                                    fields[4], fields[5], fields[6], fields[7]};
  return origin->parent < number && origin->kind <= ORIGIN_GONE;
}

int source_ranges_open(const struct counted_code *code, struct source_ranges *source) {
  uint32_t count;
  *source = (struct source_ranges){.code = code, .at = code->source};
  if (code->source == code->source_end) return 0;
  size_t bytes = code->source_end - code->source;
  if (!read_numbers(source, &count, 1) || count > bytes / 8) return -1;
  source->origins = calloc((size_t)count + 1, sizeof *source->origins);
  if (!source->origins) return -1;
  for (; source->origin_count < count; source->origin_count++)
    if (!read_origin(source, &source->origins[source->origin_count], source->origin_count + 1))
      return -1;
  return read_numbers(source, &source->ranges_left, 1) ? 0 : -1;
}

bool source_ranges_flow(struct source_ranges *source, uint32_t *flow) {
  if (!source->flows_left) return false;
  source->flows_left--;
  return read_numbers(source, flow, 1) && *flow < source->code->flow_count;
}

int source_ranges_next(struct source_ranges *source, struct counted_range *range) {
  uint32_t fields[8], flow;
  while (source->flows_left)
    if (!source_ranges_flow(source, &flow)) return -1;
  if (!source->ranges_left) return 0;
  source->ranges_left--;
  if (!read_numbers(source, fields, 8)) return -1;
  *range = (struct counted_range){fields[0], fields[1], fields[2], fields[3],
                                  fields[4], fields[5], fields[6], fields[7]};
  source->flows_left = range->flow_count;
  return range->origin <= source->origin_count && range->kind <= RANGE_GONE ? 1 : -1;
}

static bool read_places(struct source_ranges *source, uint32_t count) {
  uint32_t *places =
      array_reserve(source->places, &source->place_room, (size_t)count + 1, sizeof *places);
  if (!places) return false;
  source->places = places;
  for (uint32_t i = 0; i < count; i++)
    if (!read_numbers(source, &places[i], 1) || places[i] >= source->code->flow_count) return false;
  return true;
}

static bool read_steps(struct source_ranges *source, uint32_t count, uint32_t place_count) {
  struct counted_step *steps =
      array_reserve(source->steps, &source->step_room, (size_t)count + 1, sizeof *steps);
  if (!steps) return false;
  source->steps = steps;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t fields[3];
    if (!read_numbers(source, fields, 3) || fields[0] >= place_count || fields[1] >= place_count ||
        fields[2] >= source->code->flow_count)
      return false;
    steps[i] = (struct counted_step){fields[0], fields[1], fields[2]};
  }
  return true;
}

int source_ranges_definition(struct source_ranges *source, uint32_t *file, uint32_t *line) {
  struct counted_range range;
  uint32_t fields[3];
  for (int more = 1; more;)
    if ((more = source_ranges_next(source, &range)) < 0) return -1;
  if (source->at == source->code->source_end) return 0;
  if (!read_numbers(source, fields, 3)) return -1;
  *file = fields[0];
  *line = fields[1];
  source->lines_left = fields[2];
  return 1;
}

int source_ranges_line(struct source_ranges *source, struct counted_line *line) {
  uint32_t fields[4];
  if (!source->lines_left) return 0;
  source->lines_left--;
  size_t bytes = source->code->source_end - source->at;
  if (!read_numbers(source, fields, 4) || fields[2] > bytes || fields[3] > bytes / 3 ||
      !read_places(source, fields[2]) || !read_steps(source, fields[3], fields[2]))
    return -1;
  *line = (struct counted_line){fields[0], fields[1],      fields[2],
                                fields[3], source->places, source->steps};
  return 1;
}

void source_ranges_close(struct source_ranges *source) {
  free(source->origins);
  free(source->places);
  free(source->steps);
}

const char *counted_code_text(const struct counted_code *code, uint32_t name) {
  return name < code->string_bytes ? code->strings + name : "";
}
