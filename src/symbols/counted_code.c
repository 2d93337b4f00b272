#include "symbols/counted_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/description_numbers.h"
#include "symbols/source_path.h"

/* Bytes of each thing, at least. */
enum {
  CALLEE_BYTES = 2,
  DEFINITION_BYTES = 4,
  FUNCTION_BYTES = 16,
  FLOW_BYTES = 3,
  POINT_BYTES = 2
};

/* Arrays move while they grow: a function has the indices of its first flow and point. */
struct firsts {
  size_t flow, point;
};

struct reading {
  struct counted_code_list list;
  size_t flow_count, point_count;
  struct firsts *firsts; /* by function */
  /* The unit being read. */
  struct counted_unit *unit;
  struct byte_cursor cursor;
  uint32_t next_counter; /* of the function */
};

/* ---- what the functions of a unit share ---- */

static bool read_names(struct byte_cursor *cursor, struct counted_unit *unit) {
  uint32_t count = read_count(cursor, 1);
  unit->names = memory_zeroed(count, sizeof *unit->names);
  for (; unit->name_count < count; unit->name_count++) {
    const uint8_t *end = memchr(cursor->at, 0, cursor->end - cursor->at);
    if (!end) return false;
    unit->names[unit->name_count] = (const char *)cursor->at;
    cursor->at = end + 1;
  }
  return true;
}

static bool read_callees(struct byte_cursor *cursor, struct counted_unit *unit) {
  uint32_t count = read_count(cursor, CALLEE_BYTES);
  unit->callees = memory_zeroed(count, sizeof *unit->callees);
  for (; unit->callee_count < count; unit->callee_count++) {
    struct counted_callee *callee = &unit->callees[unit->callee_count];
    callee->name = read_number(cursor);
    callee->code = read_number(cursor); /* so far the number in the unit, from 1 on */
  }
  return true;
}

static bool read_definitions(struct byte_cursor *cursor, struct counted_unit *unit) {
  uint32_t count = read_count(cursor, DEFINITION_BYTES);
  unit->definitions = memory_zeroed(count, sizeof *unit->definitions);
  for (; unit->definition_count < count; unit->definition_count++) {
    struct counted_definition *definition = &unit->definitions[unit->definition_count];
    definition->kind = read_number(cursor);
    definition->name = read_number(cursor);
    definition->file = read_number(cursor);
    definition->line = read_number(cursor);
    if (definition->kind > ORIGIN_MACRO) return false;
  }
  return true;
}

const char *counted_unit_text(const struct counted_unit *unit, uint32_t name) {
  return name < unit->name_count ? unit->names[name] : "";
}

static bool read_tables(struct byte_cursor *cursor, struct counted_unit *unit) {
  unit->counter_count = read_number(cursor);
  if (!read_names(cursor, unit)) return false;
  unit->directory = counted_unit_text(unit, read_number(cursor));
  return read_callees(cursor, unit) && read_definitions(cursor, unit) && !cursor->failed;
}

/* ---- functions ---- */

static bool read_counter(struct reading *reading, uint32_t *counter) {
  uint32_t written = read_number(&reading->cursor);
  if (written == WRITTEN_AT_SITES || written == WRITTEN_NONE) {
    *counter = written == WRITTEN_NONE ? NO_COUNTER : COUNTED_AT_SITES;
    return true;
  }
  *counter = written == WRITTEN_NEXT ? reading->next_counter : written - WRITTEN_COUNTER;
  reading->next_counter = *counter + 1;
  return *counter < reading->unit->counter_count;
}

static bool read_flows(struct reading *reading, struct counted_code *code) {
  struct byte_cursor *cursor = &reading->cursor;
  code->flow_count = read_count(cursor, FLOW_BYTES);
  ARRAY_ROOM(reading->list.flows, reading->flow_count + code->flow_count);
  if (code->node_count > 2 * (uint64_t)code->flow_count) return false;
  uint32_t node = 0;
  for (uint32_t i = 0; i < code->flow_count; i++) {
    struct counted_flow *flow = &reading->list.flows[reading->flow_count++];
    flow->from = read_difference(cursor, &node);
    flow->to = read_difference(cursor, &node);
    if (!read_counter(reading, &flow->counter) || flow->from >= code->node_count ||
        flow->to >= code->node_count)
      return false;
  }
  return !cursor->failed;
}

/* What is called, and where. `point` has the place of the one before. */
static bool read_call(struct reading *reading, uint32_t head, struct counted_point *point) {
  struct byte_cursor *cursor = &reading->cursor;
  if (point->kind == POINT_CALL) {
    point->callee = read_number(cursor);
    if (point->callee >= reading->unit->callee_count) return false;
  } else {
    if (!read_counter(reading, &point->cell)) return false;
    reading->next_counter = point->cell + 2;
    if (reading->unit->counter_count < 2 || point->cell > reading->unit->counter_count - 2)
      return false;
  }
  if (head & POINT_HAS_FILE) read_difference(cursor, &point->file);
  if (head & POINT_HAS_ORIGIN) read_difference(cursor, &point->origin);
  read_difference(cursor, &point->line);
  point->column = read_number(cursor);
  return true;
}

static bool read_points(struct reading *reading, struct counted_code *code) {
  struct byte_cursor *cursor = &reading->cursor;
  code->point_count = read_count(cursor, POINT_BYTES);
  ARRAY_ROOM(reading->list.points, reading->point_count + code->point_count);
  struct counted_point place = {0};
  for (uint32_t i = 0; i < code->point_count; i++) {
    uint32_t head = read_number(cursor);
    place.kind = head & POINT_KINDS;
    if (head > POINT_BITS || place.kind < POINT_ENTRY) return false;
    read_difference(cursor, &place.flow);
    if (place.flow != NO_FLOW && place.flow >= code->flow_count) return false;
    if (place.kind != POINT_ENTRY && !read_call(reading, head, &place)) return false;
    reading->list.points[reading->point_count++] = place;
  }
  return !cursor->failed;
}

static struct counted_code *add_code(struct reading *reading) {
  struct counted_code_list *list = &reading->list;
  ARRAY_GROW(list->code, list->count);
  ARRAY_GROW(reading->firsts, list->count);
  reading->firsts[list->count] = (struct firsts){reading->flow_count, reading->point_count};
  list->code[list->count] = (struct counted_code){.unit = reading->unit};
  return &list->code[list->count++];
}

static void leave_out(struct reading *reading) {
  const struct firsts *first = &reading->firsts[--reading->list.count];
  reading->flow_count = first->flow;
  reading->point_count = first->point;
}

/* What the linker left out is not there; `*is_there` says so. */
static bool read_function(struct reading *reading, bool *is_there) {
  struct byte_cursor *cursor = &reading->cursor;
  struct counted_code *code = add_code(reading);
  reading->next_counter = 0;
  code->address = byte_cursor_number(cursor, 8);
  code->name = counted_unit_text(reading->unit, read_number(cursor));
  uint32_t flags = read_number(cursor);
  code->is_public = flags & COUNTED_PUBLIC;
  code->from_source = flags & COUNTED_SOURCE;
  code->file = read_number(cursor);
  code->line = read_number(cursor);
  code->node_count = read_number(cursor);
  if (!read_flows(reading, code) || !read_points(reading, code)) return false;
  uint32_t bytes = read_count(cursor, 1);
  code->source = cursor->at;
  byte_cursor_skip(cursor, bytes);
  code->source_end = cursor->at;
  *is_there = code->address || code->from_source;
  if (!*is_there) leave_out(reading);
  return !cursor->failed;
}

/* From numbers in the unit to indices in the list, before it is sorted. */
static void find_callees(struct counted_unit *unit, const uint32_t *index_of, uint32_t count) {
  for (uint32_t i = 0; i < unit->callee_count; i++) {
    uint32_t number = unit->callees[i].code;
    unit->callees[i].code = number && number <= count ? index_of[number - 1] : NO_CODE;
  }
}

static int read_functions(struct reading *reading) {
  uint32_t count = read_count(&reading->cursor, FUNCTION_BYTES);
  uint32_t *index_of = memory_zeroed(count, sizeof *index_of);
  bool whole = !reading->cursor.failed;
  for (uint32_t i = 0; whole && i < count; i++) {
    bool is_there;
    index_of[i] = (uint32_t)reading->list.count;
    whole = read_function(reading, &is_there);
    if (whole && !is_there) index_of[i] = NO_CODE;
  }
  if (whole) find_callees(reading->unit, index_of, count);
  free(index_of);
  return whole ? 0 : COUNTED_CODE_DAMAGED;
}

/* ---- units ---- */

static int read_unit(struct reading *reading, const struct counter_unit *header,
                     const uint8_t *bytes) {
  struct counted_unit *unit = reading->unit = &reading->list.units[reading->list.unit_count++];
  *unit = (struct counted_unit){.counters = header->counters, .checksum = header->checksum};
  reading->cursor = (struct byte_cursor){bytes + sizeof *header, bytes + header->bytes, false};
  return read_tables(&reading->cursor, unit) ? read_functions(reading) : COUNTED_CODE_DAMAGED;
}

/* Reads the header of a unit. The last byte of the magic is its version. */
static int read_header(const uint8_t *bytes, size_t left, struct counter_unit *header) {
  if (left < sizeof *header) return COUNTED_CODE_DAMAGED;
  memcpy(header, bytes, sizeof *header);
  if (header->magic != COUNTER_POINTS_MAGIC)
    return memcmp(bytes, "ASC", 3) == 0 ? COUNTED_CODE_VERSION : COUNTED_CODE_DAMAGED;
  bool fits = header->bytes >= sizeof *header && header->bytes % 8 == 0 && header->bytes <= left;
  return fits ? 0 : COUNTED_CODE_DAMAGED;
}

static int count_units(const uint8_t *data, size_t bytes, size_t *count) {
  struct counter_unit header;
  *count = 0;
  for (size_t at = 0; at < bytes; at += header.bytes, ++*count) {
    int result = read_header(data + at, bytes - at, &header);
    if (result < 0) return result;
  }
  return 0;
}

static int read_units(struct reading *reading, const uint8_t *data, size_t bytes) {
  struct counter_unit header;
  size_t count;
  int result = count_units(data, bytes, &count);
  if (result < 0) return result;
  reading->list.units = memory_zeroed(count, sizeof *reading->list.units);
  for (size_t at = 0; at < bytes && result == 0; at += header.bytes) {
    memcpy(&header, data + at, sizeof header);
    result = read_unit(reading, &header, data + at);
  }
  return result;
}

/* ---- the list ---- */

static int by_address(const void *left, const void *right) {
  const struct counted_code *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  return (a->unit->counters > b->unit->counters) - (a->unit->counters < b->unit->counters);
}

/* Sorted, callees have other indices: while it is sorted, each function keeps its old one. */
static void sort(struct counted_code_list *list) {
  uint32_t *index_of = memory_zeroed(list->count, sizeof *index_of);
  for (size_t i = 0; i < list->count; i++)
    list->code[i].order = (uint32_t)i;
  if (list->count) qsort(list->code, list->count, sizeof *list->code, by_address);
  for (size_t i = 0; i < list->count; i++)
    index_of[list->code[i].order] = (uint32_t)i;
  for (size_t i = 0; i < list->unit_count; i++)
    for (uint32_t k = 0; k < list->units[i].callee_count; k++) {
      uint32_t *code = &list->units[i].callees[k].code;
      if (*code != NO_CODE) *code = index_of[*code];
    }
  free(index_of);
}

int counted_code_read(const void *data, size_t bytes, struct counted_code_list *list) {
  struct reading reading = {0};
  int result = read_units(&reading, data, bytes);
  for (size_t i = 0; i < reading.list.count && result == 0; i++) {
    reading.list.code[i].flows = reading.list.flows + reading.firsts[i].flow;
    reading.list.code[i].points = reading.list.points + reading.firsts[i].point;
  }
  free(reading.firsts);
  if (result < 0) {
    counted_code_free(&reading.list);
    return result;
  }
  sort(&reading.list);
  *list = reading.list;
  return 0;
}

void counted_code_free(struct counted_code_list *list) {
  for (size_t i = 0; i < list->unit_count; i++) {
    free(list->units[i].names);
    free(list->units[i].callees);
    free(list->units[i].definitions);
  }
  free(list->units);
  free(list->code);
  free(list->flows);
  free(list->points);
}

const char *counted_code_text(const struct counted_code *code, uint32_t name) {
  return counted_unit_text(code->unit, name);
}

bool counted_unit_path(const struct counted_unit *unit, uint32_t name, char *path, size_t bytes) {
  const char *file = counted_unit_text(unit, name);
  if (!*file) return false;
  if (*file == '/' || !*unit->directory)
    snprintf(path, bytes, "%s", file);
  else
    snprintf(path, bytes, "%s/%s", unit->directory, file);
  source_path_normalise(path);
  return true;
}
