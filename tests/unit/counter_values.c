/* What counters say of functions: those that have none follow from the others. */
#include "attribution/counts/counter_values.h"
#include "attribution/counts/line_executions.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MAIN, LOCAL, DEEPER, ROUND, OTHERS };
enum { COUNTERS = 0x9000 };

/* The unit's functions, and another's. */
static struct counted_callee callees[] = {
    {0, MAIN}, {0, LOCAL}, {0, DEEPER}, {0, ROUND}, {0, NO_CODE}};
static const struct counted_unit unit = {
    .counters = COUNTERS, .callees = callees, .callee_count = OTHERS + 1};

static struct counted_point entry(void) {
  return (struct counted_point){.kind = POINT_ENTRY};
}
static struct counted_point call(uint32_t callee, uint32_t flow) {
  return (struct counted_point){.kind = POINT_CALL, .callee = callee, .flow = flow};
}

#define CODE(at, its_points, its_flows, its_nodes)                                                 \
  (struct counted_code) {                                                                          \
    .address = 0x100 + 0x100 * at, .unit = &unit, .points = its_points,                            \
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
  const struct counted_point of_main[] = {entry(), call(LOCAL, 1), call(LOCAL, 2), call(DEEPER, 0)};
  const struct counted_flow in_main[] = {{0, 1, 0}, {1, 0, 1}, {1, 0, 2}};
  const struct counted_point of_local[] = {entry(), call(DEEPER, 1)};
  const struct counted_flow in_local[] = {{0, 1, COUNTED_AT_SITES}, {1, 0, NO_COUNTER}};
  const struct counted_point of_deeper[] = {entry()};
  const struct counted_flow in_deeper[] = {{0, 1, COUNTED_AT_SITES}};
  const struct counted_point of_round[] = {entry(), call(ROUND, 0)};
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
  const struct counted_point points[] = {entry(),         call(OTHERS, 1), call(OTHERS, 2),
                                         call(OTHERS, 3), call(OTHERS, 4), call(OTHERS, 5)};
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
  const struct counted_point points[] = {entry(), call(OTHERS, 1), call(OTHERS, 2)};
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
  const struct counted_point points[] = {entry(), call(OTHERS, 1), call(OTHERS, 2),
                                         call(OTHERS, 3)};
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
  const struct counted_point points[] = {entry()};
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

/* What ran says where its unit begins. In another build that is another counter, or none. */
static void checksum_of_what_ran(void) {
  const uint64_t counts[] = {7, COUNTER_CHECKSUM_MARK | 1, 5};
  struct counter_memory memory = {COUNTERS, counts, 3};
  struct counted_unit ran = {.counters = COUNTERS + 8};
  CHECK_EQUAL(counter_checksum(&ran, &memory), COUNTER_CHECKSUM_MARK | 1);
  ran.counters = COUNTERS + 3 * 8;
  CHECK_EQUAL(counter_checksum(&ran, &memory), 0);
  ran.counters = COUNTERS - 8;
  CHECK_EQUAL(counter_checksum(&ran, &memory), 0);
}

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

int main(void) {
  entries_follow_from_sites();
  flows_follow_from_nodes();
  never_below_nothing();
  what_does_not_follow();
  counters_that_are_not_there();
  checksum_of_what_ran();
  executions_of_a_line();
  loops_within_a_line();
  return check_result();
}
