/* What counters say of functions: those that have none follow from the others. And descriptions of
 * counters that make no sense. */
#include "attribution/counts/counter_values.h"
#include "attribution/counts/line_executions.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MAIN = 0x100, LOCAL = 0x200, DEEPER = 0x300, ROUND = 0x400 };
enum { COUNTERS = 0x9000 };

static struct unit_point entry(void) {
  return (struct unit_point){.kind = POINT_ENTRY};
}
static struct unit_point call(uint64_t callee, uint32_t flow) {
  return (struct unit_point){.kind = POINT_CALL, .callee = callee, .flow = flow};
}

#define CODE(at, its_points, its_flows, its_nodes)                                                 \
  (struct counted_code) {                                                                          \
    .address = at, .counters = COUNTERS, .points = its_points,                                     \
    .point_count = sizeof(its_points) / sizeof(its_points[0]), .flows = its_flows,                 \
    .flow_count = sizeof(its_flows) / sizeof(its_flows[0]), .node_count = its_nodes                \
  }

static void make(const struct counted_code *code, size_t count, const uint64_t *counts,
                 size_t counters, struct counter_values *values) {
  struct counter_memory memory = {COUNTERS, counts, counters};
  counter_values_make(code, count, &memory, values);
}

/* main enters LOCAL at two sites, LOCAL enters DEEPER whenever it is entered, DEEPER itself from a
 * site of its own; ROUND enters itself only, which the compiler never says. */
static void entries_follow_from_sites(void) {
  const struct unit_point of_main[] = {entry(), call(LOCAL, 1), call(LOCAL, 2), call(DEEPER, 0)};
  const struct counted_flow in_main[] = {{0, 1, 0}, {1, 0, 1}, {1, 0, 2}};
  const struct unit_point of_local[] = {entry(), call(DEEPER, 1)};
  const struct counted_flow in_local[] = {{0, 1, COUNTED_AT_SITES}, {1, 0, NO_COUNTER}};
  const struct unit_point of_deeper[] = {entry()};
  const struct counted_flow in_deeper[] = {{0, 1, COUNTED_AT_SITES}};
  const struct unit_point of_round[] = {entry(), call(ROUND, 0)};
  const struct counted_flow in_round[] = {{0, 1, COUNTED_AT_SITES}};
  const struct counted_code code[] = {
      CODE(MAIN, of_main, in_main, 2), CODE(LOCAL, of_local, in_local, 2),
      CODE(DEEPER, of_deeper, in_deeper, 2), CODE(ROUND, of_round, in_round, 2)};
  const uint64_t counts[] = {1, 40, 2};
  struct counter_values values;
  make(code, 4, counts, 3, &values);
  CHECK_EQUAL(counter_entries(&values, &code[0]), 1);
  CHECK_EQUAL(counter_entries(&values, &code[1]), 42);
  CHECK_EQUAL(counter_entries(&values, &code[2]), 1 + 42);
  CHECK_EQUAL(counter_entries(&values, &code[3]), 0);
  CHECK_EQUAL(counter_passes(&values, &code[0], &of_main[1]), 40);
  CHECK_EQUAL(counter_passes(&values, &code[1], &of_local[1]), 42);
  counter_values_free(&values);
}

/* while (a) { if (b) c; } with counters at the entry, in the body and at c; lost: c exits.
 *
 *     0 -entry-> 1 -head-> 2 -body-> 3 -c-> 0
 *                ^         |\        |
 *                |         | -end-> 0
 *                 \_______________/  back */
static void flows_follow_from_nodes(void) {
  const struct unit_point points[] = {entry(),    call(0, 1), call(0, 2),
                                      call(0, 3), call(0, 4), call(0, 5)};
  const struct counted_flow flows[] = {{0, 1, 0}, {1, 2, NO_COUNTER}, {2, 3, 1},
                                       {3, 0, 2}, {3, 1, NO_COUNTER}, {2, 0, NO_COUNTER}};
  const struct counted_code code = CODE(MAIN, points, flows, 4);
  const uint64_t counts[] = {1, 40, 1}, killed[] = {1, 40, 0};
  struct counter_values values;
  make(&code, 1, counts, 3, &values);
  CHECK_EQUAL(counter_passes(&values, &code, &points[1]), 40);
  CHECK_EQUAL(counter_passes(&values, &code, &points[4]), 39);
  CHECK_EQUAL(counter_passes(&values, &code, &points[5]), 0);
  counter_values_free(&values);
  make(&code, 1, killed, 3, &values);
  CHECK_EQUAL(counter_passes(&values, &code, &points[1]), 41);
  CHECK_EQUAL(counter_passes(&values, &code, &points[5]), 1);
  counter_values_free(&values);
}

/* In the middle of a pause a counter may have missed what another has: never less than 0. */
static void never_below_nothing(void) {
  const struct unit_point points[] = {entry(), call(0, 1), call(0, 2)};
  const struct counted_flow flows[] = {{0, 1, 0}, {1, 0, 1}, {1, 0, NO_COUNTER}};
  const struct counted_code code = CODE(MAIN, points, flows, 2);
  const uint64_t counts[] = {2, 3};
  struct counter_values values;
  make(&code, 1, counts, 2, &values);
  CHECK_EQUAL(counter_passes(&values, &code, &points[2]), 0);
  counter_values_free(&values);
}

/* What the compiler does not say: a flow from a node to itself, two unknown ones side by side. */
static void what_does_not_follow(void) {
  const struct unit_point points[] = {entry(), call(0, 1), call(0, 2), call(0, 3)};
  const struct counted_flow flows[] = {
      {0, 1, 0}, {1, 1, NO_COUNTER}, {1, 0, NO_COUNTER}, {1, 0, NO_COUNTER}};
  const struct counted_code code = CODE(MAIN, points, flows, 2);
  const uint64_t counts[] = {7};
  struct counter_values values;
  make(&code, 1, counts, 1, &values);
  CHECK_EQUAL(counter_entries(&values, &code), 7);
  for (uint32_t i = 1; i < 4; i++)
    CHECK(!values.flows[i].known);
  counter_values_free(&values);
}

/* Those behind the last that was counted are 0; so are those of another unit. */
static void counters_that_are_not_there(void) {
  const struct unit_point points[] = {entry()};
  const struct counted_flow flows[] = {{0, 1, 9}};
  const struct counted_code code = CODE(MAIN, points, flows, 2);
  const uint64_t counts[] = {1, 2};
  struct counter_memory behind = {COUNTERS + 8, counts, 2};
  struct counter_values values;
  make(&code, 1, counts, 2, &values);
  CHECK_EQUAL(counter_entries(&values, &code), 0);
  counter_values_free(&values);
  counter_values_make(&code, 1, &behind, &values);
  CHECK_EQUAL(counter_entries(&values, &code), 0);
  counter_values_free(&values);
}

/* ---- descriptions ---- */

struct section {
  struct counter_unit unit;
  struct unit_function function;
  struct unit_point points[2];
  uint8_t flows[8]; /* 0 -> 1 has counter 0, 1 -> 0 none */
  char strings[8];
};

static struct section good(void) {
  return (struct section){{COUNTER_POINTS_MAGIC, sizeof(struct section), COUNTERS, 2, 1,
                           offsetof(struct section, strings), 1},
                          {.address = MAIN,
                           .name = 3,
                           .flags = COUNTED_PUBLIC,
                           .point_count = 2,
                           .flow_count = 2,
                           .node_count = 2,
                           .flow_bytes = 8},
                          {entry(), call(0, 1)},
                          {0, 1, 2, 1, 0, 1},
                          "\0/\0main"};
}

static int read_section(const struct section *section, size_t bytes) {
  struct counted_code_list list;
  int result = counted_code_read(section, bytes, &list);
  if (result == 0) counted_code_free(&list);
  return result;
}

static void descriptions(void) {
  struct section section = good();
  struct counted_code_list read = {0};
  CHECK_EQUAL(counted_code_read(&section, sizeof section, &read), 0);
  CHECK_EQUAL(read.count, 1);
  const struct counted_code *list = read.code;
  if (read.count == 1) {
    CHECK_EQUAL(list[0].flows[0].counter, 0);
    CHECK_EQUAL(list[0].flows[1].counter, NO_COUNTER);
    CHECK_EQUAL(list[0].flows[1].to, 0);
    CHECK_EQUAL(list[0].address, MAIN);
    CHECK_TEXT(list[0].name, "main");
    CHECK_TEXT(list[0].directory, "/");
    CHECK_TEXT(counted_code_text(&list[0], 1000), "");
    CHECK(list[0].is_public);
  }
  counted_code_free(&read);
}

static uint64_t checksum_of(const struct section *section) {
  struct counted_code_list read = {0};
  CHECK_EQUAL(counted_code_read(section, sizeof *section, &read), 0);
  uint64_t checksum = read.count ? read.code[0].checksum : 0;
  counted_code_free(&read);
  return checksum;
}

/* It tells units apart that differ in a function, or in how many counters they have. */
static void checksums(void) {
  struct section section = good();
  uint64_t checksum = checksum_of(&section), other;
  CHECK(checksum & COUNTER_CHECKSUM_MARK);
  section.function.checksum++;
  other = checksum_of(&section);
  CHECK(other & COUNTER_CHECKSUM_MARK && other != checksum);
  section = good();
  section.unit.counter_count++;
  CHECK(checksum_of(&section) != checksum);
  section = good();
  CHECK_EQUAL(checksum_of(&section), checksum);
}

/* What ran says where its unit begins. In another build that is another counter, or none. */
static void checksum_of_what_ran(void) {
  const uint64_t counts[] = {7, COUNTER_CHECKSUM_MARK | 1, 5};
  struct counter_memory memory = {COUNTERS, counts, 3};
  struct counted_code code = {.counters = COUNTERS + 8};
  CHECK_EQUAL(counter_checksum(&code, &memory), COUNTER_CHECKSUM_MARK | 1);
  code.counters = COUNTERS + 3 * 8;
  CHECK_EQUAL(counter_checksum(&code, &memory), 0);
  code.counters = COUNTERS - 8;
  CHECK_EQUAL(counter_checksum(&code, &memory), 0);
}

/* What was inlined: "main" into itself, at line 5. A range of it with two flows, and a branch. */
static const uint8_t source[] = {
    1, ORIGIN_INLINED, 0, 3, 1, 4, 1, 5, 6, 2, 0, 1, 1, 7, 8, 7, 9, 2, 0, 1, 2, 0, 1, 7, 8, 0, 0, 1,
    1};

/* for (i = 0; i < n; i++) if (a[i]) x++; else on another line; entered 3 times, with 10 rounds of
 * which 6 stay on the line. Places: begin, test, if, x++, back. */
static void executions_of_a_line(void) {
  const struct counter_flow flows[] = {{true, 3}, {true, 13}, {true, 10},
                                       {true, 6}, {true, 4},  {false, 0}};
  const uint32_t places[] = {0, 1, 2, 3, 2};
  const struct counted_step steps[] = {{0, 1, 0}, {1, 2, 2}, {2, 3, 3}, {3, 4, 3}, {4, 1, 2}};
  struct counted_line line = {1, 1, 5, 5, places, steps};
  const uint32_t unknown[] = {5};
  const struct counted_line not_known = {1, 1, 1, 0, unknown, NULL};
  uint64_t count = 0;
  CHECK(line_executions(&line, flows, &count));
  CHECK_EQUAL(count, 3 + 4 + 6);
  const struct counted_step round_itself[] = {{0, 0, 2}};
  line = (struct counted_line){1, 1, 1, 1, places + 1, round_itself};
  CHECK(line_executions(&line, flows, &count));
  CHECK_EQUAL(count, 3 + 10);
  CHECK(!line_executions(&not_known, flows, &count));
}

/* Two loops in each other on one line, entered once: 4 rounds of the outer, 20 of the inner. */
static void loops_within_a_line(void) {
  const struct counter_flow flows[] = {{true, 1}, {true, 5}, {true, 24}, {true, 4}, {true, 20}};
  const uint32_t places[] = {0, 1, 2};
  const struct counted_step steps[] = {{0, 1, 0}, {1, 2, 3}, {2, 2, 4}, {2, 1, 3}};
  const struct counted_line line = {1, 1, 3, 4, places, steps};
  uint64_t count = 0;
  CHECK(line_executions(&line, flows, &count));
  CHECK_EQUAL(count, 1 + 4 + 20);
}

static struct counted_code with_source(const uint8_t *bytes, size_t count) {
  return (struct counted_code){
      .flow_count = 2, .source = bytes, .source_end = bytes + count, .strings = ""};
}

/* Where a function with no ranges is defined, and a line of it: two places, a step between them. */
static void lines_of_source(void) {
  static const uint8_t good_lines[] = {0, 0, 4, 9, 1, 4, 10, 2, 1, 0, 1, 0, 1, 1};
  static const uint8_t no_such_place[] = {0, 0, 4, 9, 1, 4, 10, 2, 1, 0, 1, 0, 2, 1};
  static const uint8_t no_such_flow[] = {0, 0, 4, 9, 1, 4, 10, 2, 1, 0, 7, 0, 1, 1};
  static const uint8_t too_many[] = {0, 0, 4, 9, 1, 4, 10, 0xff, 0xff, 0xff, 0xff, 0x0f, 1};
  const struct {
    const uint8_t *bytes;
    size_t count;
    int result;
  } cases[] = {{good_lines, sizeof good_lines, 1},
               {no_such_place, sizeof no_such_place, -1},
               {no_such_flow, sizeof no_such_flow, -1},
               {too_many, sizeof too_many, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct counted_code code = with_source(cases[i].bytes, cases[i].count);
    struct source_ranges ranges;
    struct counted_line line;
    uint32_t file = 0, first = 0;
    CHECK_EQUAL(source_ranges_open(&code, &ranges), 0);
    CHECK_EQUAL(source_ranges_definition(&ranges, &file, &first), 1);
    CHECK_EQUAL(first, 9);
    CHECK_EQUAL(source_ranges_line(&ranges, &line), cases[i].result);
    if (cases[i].result == 1) {
      CHECK_EQUAL(line.line, 10);
      CHECK_EQUAL(line.steps[0].to, 1);
      CHECK_EQUAL(source_ranges_line(&ranges, &line), 0);
    }
    source_ranges_close(&ranges);
  }
}

static void ranges_of_source(void) {
  struct counted_code code = with_source(source, sizeof source);
  struct source_ranges ranges;
  struct counted_range range;
  uint32_t flow = 9;
  CHECK_EQUAL(source_ranges_open(&code, &ranges), 0);
  CHECK_EQUAL(ranges.origin_count, 1);
  CHECK_EQUAL(ranges.origins[0].call_line, 5);
  CHECK_EQUAL(source_ranges_next(&ranges, &range), 1);
  CHECK_EQUAL(range.origin, 1);
  CHECK_EQUAL(range.end_column, 9);
  CHECK(source_ranges_flow(&ranges, &flow));
  CHECK_EQUAL(flow, 0);
  CHECK_EQUAL(source_ranges_next(&ranges, &range), 1); /* the flow that was not taken is skipped */
  CHECK_EQUAL(range.kind, RANGE_BRANCH + 1);
  CHECK(source_ranges_flow(&ranges, &flow) && flow == 1);
  CHECK(!source_ranges_flow(&ranges, &flow));
  CHECK_EQUAL(source_ranges_next(&ranges, &range), 0);
  source_ranges_close(&ranges);
}

/* Cut off anywhere: an end too early is told, but in the last flow; nothing is read behind it. */
static void damaged_source(void) {
  for (size_t bytes = 1; bytes < sizeof source; bytes++) {
    struct counted_code code = with_source(source, bytes);
    struct source_ranges ranges;
    struct counted_range range;
    bool whole = source_ranges_open(&code, &ranges) == 0;
    int more = 1;
    while (whole && more == 1) {
      more = source_ranges_next(&ranges, &range);
      for (uint32_t flow; more == 1 && source_ranges_flow(&ranges, &flow);)
        CHECK(flow < code.flow_count);
    }
    CHECK(bytes + 1 == sizeof source || !whole || more == -1);
    source_ranges_close(&ranges);
  }
}

static void damaged_descriptions(void) {
  struct section section = good();
  section.unit.magic++;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  CHECK_EQUAL(read_section(&section, sizeof section - 8), -1);
  section.unit.bytes = 0;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.unit.function_count = 2;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.function.point_count = UINT32_MAX;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.points[1].flow = 2;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.points[1] = (struct unit_point){.kind = POINT_INDIRECT, .flow = NO_FLOW, .cell = 1};
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.flows[2] = 4; /* counter 2 */
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.flows[3] = 2; /* a node that there is not */
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  memset(section.flows, 0x80, sizeof section.flows); /* a number without an end */
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.function.node_count = UINT32_MAX;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.function.flow_bytes = 16;
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
  section = good();
  section.strings[7] = 'x';
  CHECK_EQUAL(read_section(&section, sizeof section), -1);
}

int main(void) {
  entries_follow_from_sites();
  flows_follow_from_nodes();
  never_below_nothing();
  what_does_not_follow();
  counters_that_are_not_there();
  descriptions();
  checksums();
  checksum_of_what_ran();
  executions_of_a_line();
  loops_within_a_line();
  lines_of_source();
  ranges_of_source();
  damaged_source();
  damaged_descriptions();
  return check_result();
}
