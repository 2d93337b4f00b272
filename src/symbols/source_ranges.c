#include "symbols/source_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/description_numbers.h"

enum { ORIGIN_BYTES = 5, RANGE_BYTES = 4, LINE_BYTES = 4, STEP_BYTES = 3 }; /* at least */

static bool read_origin(struct source_ranges *source, uint32_t number) {
  struct byte_cursor *cursor = &source->cursor;
  const struct counted_unit *unit = source->code->unit;
  uint32_t parent = read_number(cursor), definition = read_number(cursor);
  uint32_t file = read_difference(cursor, &source->before.file);
  uint32_t line = read_difference(cursor, &source->before.line);
  uint32_t column = read_number(cursor);
  if (cursor->failed || parent >= number || definition >= unit->definition_count) return false;
  const struct counted_definition *of = &unit->definitions[definition];
  source->origins[number - 1] =
      (struct counted_origin){of->kind, parent, of->name, of->file, of->line, file, line, column};
  return true;
}

static int read_origins(struct source_ranges *source) {
  uint32_t count = read_count(&source->cursor, ORIGIN_BYTES);
  source->origins = memory_zeroed(count, sizeof *source->origins);
  for (; source->origin_count < count; source->origin_count++)
    if (!read_origin(source, source->origin_count + 1)) return -1;
  memset(&source->before, 0, sizeof source->before);
  return 0;
}

int source_ranges_open(const struct counted_code *code, struct source_ranges *source) {
  *source = (struct source_ranges){.code = code, .cursor = {code->source, code->source_end, false}};
  if (read_origins(source) < 0) return -1;
  source->ranges_left = read_count(&source->cursor, RANGE_BYTES);
  return source->cursor.failed ? -1 : 0;
}

static bool read_flow(struct source_ranges *source, uint32_t *flow) {
  *flow = read_difference(&source->cursor, &source->before.flow);
  if (*flow >= source->code->flow_count) source->cursor.failed = true;
  return !source->cursor.failed;
}

bool source_ranges_flow(struct source_ranges *source, uint32_t *flow) {
  if (!source->flows_left || !read_flow(source, flow)) return false;
  source->flows_left--;
  return true;
}

/* Those that nobody asked for. */
static bool skip_flows(struct source_ranges *source) {
  uint32_t flow;
  while (source->flows_left)
    if (!source_ranges_flow(source, &flow)) return false;
  return true;
}

static void read_case(struct byte_cursor *cursor, struct counted_range *range) {
  range->which = read_number(cursor);
  range->label = read_number(cursor);
  range->label_line = range->line;
  read_difference(cursor, &range->label_line);
}

int source_ranges_next(struct source_ranges *source, struct counted_range *range) {
  struct byte_cursor *cursor = &source->cursor;
  if (!skip_flows(source)) return -1;
  if (!source->ranges_left) return cursor->failed ? -1 : 0;
  source->ranges_left--;
  uint32_t head = read_number(cursor);
  if (head & RANGE_HAS_FILE) read_difference(cursor, &source->before.file);
  if (head & RANGE_HAS_ORIGIN) read_difference(cursor, &source->before.origin);
  struct counted_range read = {.kind = head & RANGE_KINDS,
                               .origin = source->before.origin,
                               .file = source->before.file,
                               .flow_count = 1};
  read.line = read_difference(cursor, &source->before.line);
  read.column = read_number(cursor);
  read.end_line = read.line;
  read.end_column = read.column;
  if (head & RANGE_HAS_LINES) read_difference(cursor, &read.end_line);
  read_difference(cursor, &read.end_column);
  if (read.kind == RANGE_CASE) read_case(cursor, &read);
  if (head & RANGE_HAS_FLOWS) read.flow_count = read_count(cursor, 1);
  if (cursor->failed || head > RANGE_BITS || read.origin > source->origin_count) return -1;
  source->flows_left = read.flow_count;
  *range = read;
  return 1;
}

/* ---- lines ---- */

static bool read_places(struct source_ranges *source, uint32_t count) {
  ARRAY_ROOM(source->places, count);
  for (uint32_t i = 0; i < count; i++)
    if (!read_flow(source, &source->places[i])) return false;
  return true;
}

static bool read_steps(struct source_ranges *source, uint32_t count, uint32_t place_count) {
  ARRAY_ROOM(source->steps, count);
  for (uint32_t i = 0; i < count; i++) {
    struct counted_step *step = &source->steps[i];
    step->from = read_number(&source->cursor);
    step->to = read_number(&source->cursor);
    if (!read_flow(source, &step->flow) || step->from >= place_count || step->to >= place_count)
      return false;
  }
  return true;
}

static bool go_to_lines(struct source_ranges *source) {
  struct counted_range range;
  for (int more = 1; more;)
    if ((more = source_ranges_next(source, &range)) < 0) return false;
  if (source->in_lines) return true;
  source->in_lines = true;
  source->lines_left = read_count(&source->cursor, LINE_BYTES);
  memset(&source->before, 0, sizeof source->before);
  return !source->cursor.failed;
}

int source_ranges_line(struct source_ranges *source, struct counted_line *line) {
  struct byte_cursor *cursor = &source->cursor;
  if (!go_to_lines(source)) return -1;
  if (!source->lines_left) return 0;
  source->lines_left--;
  struct counted_line read;
  read.file = read_difference(cursor, &source->before.file);
  read.line = read_difference(cursor, &source->before.line);
  read.place_count = read_count(cursor, 1);
  read.step_count = read_count(cursor, STEP_BYTES);
  if (cursor->failed || !read_places(source, read.place_count) ||
      !read_steps(source, read.step_count, read.place_count))
    return -1;
  read.places = source->places;
  read.steps = source->steps;
  *line = read;
  return 1;
}

void source_ranges_close(struct source_ranges *source) {
  free(source->origins);
  free(source->places);
  free(source->steps);
}
