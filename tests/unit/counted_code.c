/* Descriptions of counters as they are written, and such as make no sense. */
#include "symbols/counted_code.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "symbols/source_ranges.h"

enum { COUNTERS = 0x9000, MAIN = 0x200, LOCAL = 0x100 };

/* ---- writing ---- */

struct text {
  uint8_t bytes[512];
  size_t count;
};

static void append(struct text *text, const void *bytes, size_t count) {
  memcpy(text->bytes + text->count, bytes, count);
  text->count += count;
}

#define APPEND(text, ...)                                                                          \
  append(text, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

/* As one byte of LEB128. */
#define MINUS(n) (0x80 - (n))

static void append_address(struct text *text, uint64_t address) {
  append(text, &address, sizeof address);
}

/* Where numbers are that tests change. */
static struct {
  size_t counters, callees, definition, functions, nodes, flows, points, call, bytes, origins,
      range, last_flow, pointer, lines, step;
} at;

#define AT(place) (at.place = text.count)

static void put_header(struct text *text) {
  struct counter_unit header = {COUNTER_POINTS_MAGIC, (uint32_t)text->count, COUNTERS,
                                COUNTER_CHECKSUM_MARK | 7};
  memcpy(text->bytes, &header, sizeof header);
}

/* "main", which calls "local" and puts; "local", which calls through a pointer. */
static struct text good(void) {
  struct text text = {.count = sizeof(struct counter_unit)};
  AT(counters);
  APPEND(&text, 5);
  APPEND(&text, 6); /* names: 1 the directory, 2 main, 3 local, 4 puts, 5 the file */
  append(&text, "\0/\0main\0local\0puts\0a.c", 23);
  APPEND(&text, 1);
  AT(callees);
  APPEND(&text, 2, 3, 2, 4, 0);
  AT(definition);
  APPEND(&text, 1, ORIGIN_INLINED, 3, 5, 9);
  AT(functions);
  APPEND(&text, 2);

  append_address(&text, MAIN);
  APPEND(&text, 2, COUNTED_PUBLIC, 5, 20);
  AT(nodes);
  APPEND(&text, 3);
  AT(flows); /* 0 -> 1 has counter 1, 1 -> 2 the next, 2 -> 0 none */
  APPEND(&text, 3, 0, 1, WRITTEN_COUNTER + 1, 0, 1, WRITTEN_NEXT, 0, MINUS(2), WRITTEN_NONE);
  AT(points);
  APPEND(&text, 3, POINT_ENTRY, 0);
  AT(call);
  APPEND(&text, POINT_CALL | POINT_HAS_FILE, 1, 0, 5, 21, 3);
  APPEND(&text, POINT_CALL | POINT_HAS_ORIGIN, 1, 1, 1, MINUS(10), 4);
  AT(bytes);
  APPEND(&text, 6 + 1 + 9 + 6 + 8 + 1);
  AT(origins);
  APPEND(&text, 1, 0, 0, 5, 21, 8); /* local was inlined at line 21 */
  APPEND(&text, 3);
  AT(range);
  APPEND(&text, RANGE_CODE | RANGE_HAS_FILE | RANGE_HAS_ORIGIN | RANGE_HAS_FLOWS, 5, 1, 10, 2, 4, 2,
         1, 1);
  APPEND(&text, (RANGE_BRANCH + 1) | RANGE_HAS_LINES, MINUS(1), 7, 3, MINUS(6));
  AT(last_flow);
  APPEND(&text, MINUS(2));
  APPEND(&text, RANGE_CASE, 1, 3, 6, 1, 4, 2, 1); /* of line 10's second switch: name 4, line 12 */
  APPEND(&text, 0);

  append_address(&text, LOCAL);
  APPEND(&text, 3, COUNTED_SOURCE, 5, 9);
  APPEND(&text, 2, 2, 0, 1, WRITTEN_AT_SITES, 0, MINUS(1), WRITTEN_NONE);
  APPEND(&text, 2, POINT_ENTRY, 0);
  AT(pointer);
  APPEND(&text, POINT_INDIRECT, MINUS(1), WRITTEN_COUNTER + 3, 10, 5);
  APPEND(&text, 2 + 5 + 2 + 3); /* no origins, ranges; a line with two places, a step */
  APPEND(&text, 0, 0);
  AT(lines);
  APPEND(&text, 1, 5, 10, 2, 1, 0, 1);
  AT(step);
  APPEND(&text, 0, 1, 0);
  while (text.count % 8)
    APPEND(&text, 0);
  put_header(&text);
  return text;
}

static int read(const struct text *text, struct counted_code_list *list) {
  *list = (struct counted_code_list){0};
  return counted_code_read(text->bytes, text->count, list);
}

/* What every test begins with. */
static void read_whole(const struct text *text, struct counted_code_list *list) {
  CHECK_EQUAL(read(text, list), 0);
  if (list->count != 2) exit(check_result() | 1);
}

/* ---- what is there ---- */

static void functions(void) {
  struct text text = good();
  struct counted_code_list list;
  read_whole(&text, &list);
  const struct counted_code *local = &list.code[0], *code = &list.code[1]; /* by address */
  CHECK_EQUAL(code->address, MAIN);
  CHECK_TEXT(code->name, "main");
  CHECK(code->is_public && !code->from_source && !local->is_public && local->from_source);
  CHECK_TEXT(counted_code_text(code, code->file), "a.c");
  CHECK_TEXT(counted_code_text(code, 1000), "");
  CHECK_EQUAL(code->line, 20);
  CHECK_TEXT(code->unit->directory, "/");
  CHECK_EQUAL(code->unit->counters, COUNTERS);
  CHECK_EQUAL(code->unit->checksum, COUNTER_CHECKSUM_MARK | 7);
  counted_code_free(&list);
}

static void flows(void) {
  struct text text = good();
  struct counted_code_list list;
  read_whole(&text, &list);
  const struct counted_flow *of_local = list.code[0].flows, *of_main = list.code[1].flows;
  CHECK_EQUAL(list.code[1].flow_count, 3);
  CHECK_EQUAL(of_main[0].counter, 1);
  CHECK_EQUAL(of_main[1].from, 1);
  CHECK_EQUAL(of_main[1].counter, 2);
  CHECK_EQUAL(of_main[2].from, 2);
  CHECK_EQUAL(of_main[2].to, 0);
  CHECK_EQUAL(of_main[2].counter, NO_COUNTER);
  CHECK_EQUAL(of_local[0].counter, COUNTED_AT_SITES);
  counted_code_free(&list);
}

static void points(void) {
  struct text text = good();
  struct counted_code_list list;
  read_whole(&text, &list);
  const struct counted_point *points = list.code[1].points;
  const struct counted_unit *unit = list.code[1].unit;
  CHECK_EQUAL(list.code[1].point_count, 3);
  CHECK_EQUAL(points[0].kind, POINT_ENTRY);
  CHECK_EQUAL(points[1].flow, 1);
  CHECK_EQUAL(unit->callees[points[1].callee].code, 0);
  CHECK_EQUAL(points[2].flow, 2);
  CHECK_EQUAL(unit->callees[points[2].callee].code, NO_CODE);
  CHECK_TEXT(counted_code_text(&list.code[1], unit->callees[points[2].callee].name), "puts");
  CHECK_EQUAL(points[2].file, 5); /* as before */
  CHECK_EQUAL(points[2].line, 11);
  CHECK_EQUAL(points[2].origin, 1);
  CHECK_EQUAL(list.code[0].points[1].kind, POINT_INDIRECT);
  CHECK_EQUAL(list.code[0].points[1].flow, NO_FLOW);
  CHECK_EQUAL(list.code[0].points[1].cell, 3);
  counted_code_free(&list);
}

/* The linker writes 0 as the address of what it leaves out. */
static void left_out(void) {
  struct text text = good();
  struct counted_code_list list;
  memset(text.bytes + at.functions + 1, 0, 8);
  CHECK_EQUAL(read(&text, &list), 0);
  CHECK_EQUAL(list.count, 1);
  if (list.count == 1) {
    CHECK_TEXT(list.code[0].name, "local");
    CHECK_EQUAL(list.code[0].unit->callees[0].code, 0);
    CHECK_EQUAL(list.code[0].points[1].kind, POINT_INDIRECT);
  }
  counted_code_free(&list);
}

static void several_units(void) {
  struct text text = good(), other = good();
  struct counted_code_list list;
  append(&text, other.bytes, other.count);
  CHECK_EQUAL(read(&text, &list), 0);
  CHECK_EQUAL(list.count, 4);
  CHECK_EQUAL(list.unit_count, 2);
  for (size_t i = 0; i < list.count; i++)
    if (list.code[i].address == MAIN) {
      const struct counted_code *called = &list.code[list.code[i].unit->callees[0].code];
      CHECK(called->unit == list.code[i].unit && called->address == LOCAL);
    }
  counted_code_free(&list);
}

/* ---- what makes no sense ---- */

static int read_changed(size_t place, uint8_t byte) {
  struct text text = good();
  struct counted_code_list list;
  text.bytes[place] = byte;
  int result = read(&text, &list);
  if (result == 0) counted_code_free(&list);
  return result;
}

static void damaged(void) {
  good();
  CHECK_EQUAL(read_changed(at.counters, 4), COUNTED_CODE_DAMAGED); /* cell 3 has no other */
  CHECK_EQUAL(read_changed(at.counters, 2), COUNTED_CODE_DAMAGED); /* nor is there a counter 2 */
  CHECK_EQUAL(read_changed(at.counters + 1, 100), COUNTED_CODE_DAMAGED); /* names */
  CHECK_EQUAL(read_changed(at.callees, 1), COUNTED_CODE_DAMAGED);
  CHECK_EQUAL(read_changed(at.definition + 1, ORIGIN_MACRO + 1), COUNTED_CODE_DAMAGED);
  CHECK_EQUAL(read_changed(at.functions, 100), COUNTED_CODE_DAMAGED);
  CHECK_EQUAL(read_changed(at.nodes, 2), COUNTED_CODE_DAMAGED); /* a flow has another */
  CHECK_EQUAL(read_changed(at.nodes, 7), COUNTED_CODE_DAMAGED); /* more than flows can have */
  CHECK_EQUAL(read_changed(at.flows, 0x7f), COUNTED_CODE_DAMAGED);
  CHECK_EQUAL(read_changed(at.flows + 1, MINUS(1)), COUNTED_CODE_DAMAGED);
  CHECK_EQUAL(read_changed(at.points + 1, 0), COUNTED_CODE_DAMAGED); /* no kind */
  CHECK_EQUAL(read_changed(at.call, POINT_BITS + 1), COUNTED_CODE_DAMAGED);
  CHECK_EQUAL(read_changed(at.call + 1, 3), COUNTED_CODE_DAMAGED); /* a flow that there is not */
  CHECK_EQUAL(read_changed(at.call + 2, 2), COUNTED_CODE_DAMAGED); /* nor such a callee */
  CHECK_EQUAL(read_changed(at.bytes, 0x7f), COUNTED_CODE_DAMAGED);
  CHECK_EQUAL(read_changed(at.functions + 9, 0x7f), 0); /* a name that there is not: "" */
}

static void other_versions(void) {
  CHECK_EQUAL(read_changed(3, '5'), COUNTED_CODE_VERSION);
  CHECK_EQUAL(read_changed(3, '0'), COUNTED_CODE_VERSION);
  CHECK_EQUAL(read_changed(0, 'x'), COUNTED_CODE_DAMAGED);
}

/* Wherever it ends, nothing is read behind it. */
static void cut_off(void) {
  struct text text = good();
  for (size_t count = 1; count < text.count; count++) {
    uint8_t *copy = malloc(count);
    struct counted_code_list list;
    struct counter_unit header;
    memcpy(copy, text.bytes, count);
    CHECK_EQUAL(counted_code_read(copy, count, &list), COUNTED_CODE_DAMAGED);
    if (count >= sizeof header && count % 8 == 0) { /* a unit that says that it ends there */
      memcpy(&header, copy, sizeof header);
      header.bytes = (uint32_t)count;
      memcpy(copy, &header, sizeof header);
      CHECK_EQUAL(counted_code_read(copy, count, &list), COUNTED_CODE_DAMAGED);
    }
    free(copy);
  }
}

/* ---- source ---- */

static void ranges(void) {
  struct text text = good();
  struct counted_code_list list;
  struct source_ranges ranges;
  struct counted_range range;
  struct counted_line line;
  uint32_t flow = 9;
  read_whole(&text, &list);
  CHECK_EQUAL(source_ranges_open(&list.code[1], &ranges), 0);
  CHECK_EQUAL(ranges.origin_count, 1);
  CHECK_EQUAL(ranges.origins[0].line, 9);
  CHECK_EQUAL(ranges.origins[0].call_line, 21);
  CHECK_EQUAL(source_ranges_next(&ranges, &range), 1);
  CHECK_EQUAL(range.file, 5);
  CHECK_EQUAL(range.origin, 1);
  CHECK_EQUAL(range.line, 10);
  CHECK_EQUAL(range.end_line, 10);
  CHECK_EQUAL(range.end_column, 6);
  CHECK(source_ranges_flow(&ranges, &flow) && flow == 1);
  CHECK_EQUAL(source_ranges_next(&ranges, &range), 1); /* the flow that was not taken is skipped */
  CHECK_EQUAL(range.kind, RANGE_BRANCH + 1);
  CHECK_EQUAL(range.line, 9);
  CHECK_EQUAL(range.end_line, 12);
  CHECK_EQUAL(range.end_column, 1);
  CHECK(source_ranges_flow(&ranges, &flow) && flow == 0);
  CHECK(!source_ranges_flow(&ranges, &flow));
  CHECK_EQUAL(source_ranges_next(&ranges, &range), 1);
  CHECK_EQUAL(range.kind, RANGE_CASE);
  CHECK_EQUAL(range.line, 10);
  CHECK_EQUAL(range.end_column, 9);
  CHECK_EQUAL(range.which, 1);
  CHECK_EQUAL(range.label, 4);
  CHECK_EQUAL(range.label_line, 12);
  CHECK(source_ranges_flow(&ranges, &flow) && flow == 1);
  CHECK_EQUAL(source_ranges_next(&ranges, &range), 0);
  CHECK_EQUAL(source_ranges_line(&ranges, &line), 0);
  source_ranges_close(&ranges);
  counted_code_free(&list);
}

static void lines(void) {
  struct text text = good();
  struct counted_code_list list;
  struct source_ranges ranges;
  struct counted_line line;
  read_whole(&text, &list);
  CHECK_EQUAL(source_ranges_open(&list.code[0], &ranges), 0);
  CHECK_EQUAL(source_ranges_line(&ranges, &line), 1);
  CHECK_EQUAL(line.file, 5);
  CHECK_EQUAL(line.line, 10);
  CHECK_EQUAL(line.place_count, 2);
  CHECK_EQUAL(line.places[1], 1);
  CHECK_EQUAL(line.steps[0].to, 1);
  CHECK_EQUAL(line.steps[0].flow, 1);
  CHECK_EQUAL(source_ranges_line(&ranges, &line), 0);
  source_ranges_close(&ranges);
  counted_code_free(&list);
}

/* Reads all of a function's; -1: it makes no sense. */
static int read_source(const struct counted_code *code) {
  struct source_ranges ranges;
  struct counted_range range;
  struct counted_line line;
  int more = source_ranges_open(code, &ranges) == 0 ? 1 : -1;
  while (more > 0 && (more = source_ranges_next(&ranges, &range)) > 0)
    for (uint32_t flow; source_ranges_flow(&ranges, &flow);)
      CHECK(flow < code->flow_count);
  for (more = more < 0 ? -1 : 1; more > 0;)
    more = source_ranges_line(&ranges, &line);
  source_ranges_close(&ranges);
  return more;
}

static int read_changed_source(size_t place, uint8_t byte) {
  struct text text = good();
  struct counted_code_list list;
  int result = 0;
  text.bytes[place] = byte;
  CHECK_EQUAL(read(&text, &list), 0);
  for (size_t i = 0; i < list.count; i++)
    if (read_source(&list.code[i]) < 0) result = -1;
  counted_code_free(&list);
  return result;
}

static void damaged_source(void) {
  good();
  CHECK_EQUAL(read_changed_source(at.origins, 1), 0);
  CHECK_EQUAL(read_changed_source(at.origins, 100), -1);
  CHECK_EQUAL(read_changed_source(at.origins + 1, 1), -1); /* an origin that stands in itself */
  CHECK_EQUAL(read_changed_source(at.origins + 2, 1), -1); /* a definition that there is not */
  CHECK_EQUAL(read_changed_source(at.range, RANGE_KINDS), -1);
  CHECK_EQUAL(read_changed_source(at.range + 2, 2), -1);   /* an origin that there is not */
  CHECK_EQUAL(read_changed_source(at.range + 6, 100), -1); /* flows */
  CHECK_EQUAL(read_changed_source(at.last_flow, 1), -1);
  CHECK_EQUAL(read_changed_source(at.lines, 100), -1);
  CHECK_EQUAL(read_changed_source(at.lines + 3, 100), -1); /* places */
  CHECK_EQUAL(read_changed_source(at.step, 2), -1);        /* a place that there is not */
}

/* Wherever it ends, that is told. */
static void cut_off_source(void) {
  struct text text = good();
  struct counted_code_list list;
  read_whole(&text, &list);
  for (size_t i = 0; i < list.count; i++)
    for (const uint8_t *end = list.code[i].source; end < list.code[i].source_end; end++) {
      struct counted_code code = list.code[i];
      code.source_end = end;
      CHECK_EQUAL(read_source(&code), -1);
    }
  counted_code_free(&list);
}

int main(void) {
  functions();
  flows();
  points();
  left_out();
  several_units();
  damaged();
  other_versions();
  cut_off();
  ranges();
  lines();
  damaged_source();
  cut_off_source();
  return check_result();
}
