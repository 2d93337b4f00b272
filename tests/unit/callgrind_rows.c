/* Costs in callgrind's shape: what leads to a function adds up to its total, under recursion too.
 */
#include "exchange/callgrind_rows.h"

#include <stdlib.h>

#include "attribution/given.h"
#include "check.h"
#include "profile_fixture.h"

static struct program program;

static void calls_and_tick(const char *names, uint64_t ticks) {
  size_t depth = program.depth;
  program_calls(&program, names);
  program_tick(&program, ticks);
  while (program.depth > depth)
    program_return(&program);
}

static struct profile *recursive(void) {
  program_start(&program);
  calls_and_tick("main even odd even odd burn", 10);
  calls_and_tick("main odd even", 7);
  calls_and_tick("main fib fib fib", 5);
  calls_and_tick("main parse term factor parse term factor lex", 40);
  program_thread(&program, "second");
  calls_and_tick("start even odd even burn", 3);
  calls_and_tick("odd", 1);
  return program_end(&program);
}

struct sums {
  uint64_t self, total, calls;
};

static void check_function(const struct profile *profile, const struct costs *costs,
                           const struct callgrind_row *rows, size_t count, uint32_t function) {
  struct sums sums = {0};
  for (size_t i = 0; i < count; i++) {
    if (rows[i].function == function && rows[i].callee == NOTHING) sums.self += rows[i].ns;
    if (rows[i].callee != function) continue;
    CHECK(rows[i].calls > 0);
    sums.calls += rows[i].calls;
    sums.total += rows[i].ns;
  }
  const struct function_cost *cost = &costs->functions[function];
  CHECK_EQUAL(sums.self, cost->self.raw_ns);
  CHECK_EQUAL(sums.total, cost->total.raw_ns);
  if (profile->functions[function].kind != FUNCTION_SAMPLED)
    CHECK_EQUAL(sums.calls, cost->calls + cost->recursive);
}

static void inclusive(void) {
  struct profile *profile = recursive();
  struct export_options options = {.selection.thread = NOTHING};
  struct export_data data;
  size_t count;
  export_data_open(&data, profile, &options);
  struct callgrind_row *rows = callgrind_rows(&data, &count);
  struct costs *costs = costs_compute(profile, NULL);
  for (uint32_t i = 0; i < profile->function_count; i++)
    check_function(profile, costs, rows, count, i);
  for (size_t i = 1; i < count; i++)
    CHECK(rows[i - 1].function <= rows[i].function);
  costs_free(costs);
  free(rows);
  export_data_close(&data);
  profile_free(profile);
}

static const struct callgrind_row *find(const struct callgrind_row *rows, size_t count,
                                        uint32_t function, uint32_t callee) {
  for (size_t i = 0; i < count; i++)
    if (rows[i].function == function && rows[i].callee == callee) return &rows[i];
  return NULL;
}

/* main calls f on two lines: whose time is whose cannot be told, so both stand in no line. */
static void several_lines(void) {
  program_start(&program);
  calls_and_tick("main f", 10);
  program.place = 0x2000;
  calls_and_tick("main f", 20);
  program_call(&program, program_library(&program, "memcpy"));
  program.profile->transition_count--; /* code without hooks is not called, it is found running */
  program_tick(&program, 2);
  struct profile *profile = program_end(&program);
  profile->sites[profile->site_count - 2].line = 99;
  struct export_options options = {.selection.thread = NOTHING};
  struct export_data data;
  size_t count;
  export_data_open(&data, profile, &options);
  struct callgrind_row *rows = callgrind_rows(&data, &count);
  const struct callgrind_row *f = find(rows, count, 0, 1), *memcpy_ = find(rows, count, NOTHING, 2);
  CHECK_EQUAL(f->calls, 2);
  CHECK_EQUAL(f->ns, 30000000);
  CHECK_EQUAL(f->place.line, 0);
  CHECK(f[1].callee != 1 || f[1].function != 0);
  CHECK_EQUAL(memcpy_->calls, 1);
  CHECK_EQUAL(memcpy_->ns, 2000000);
  free(rows);
  export_data_close(&data);
  profile_free(profile);
}

/* A file told what functions and arcs cost, and not in which contexts. */
static void from_elsewhere(void) {
  program_start(&program);
  program_calls(&program, "main f f");
  program_tick(&program, 1);
  struct profile *profile = program_end(&program);
  profile->origin.format = "callgrind";
  profile->metrics[0].kind = METRIC_GIVEN;
  profile->metrics[0].name = profile->metrics[0].unit = "Ir";
  profile->metrics[0].evidence = EVIDENCE_COUNTED;
  profile->processes[0].tick_source = TICK_NONE;
  profile->processes[0].cpu_user_ns = 0;
  profile->process_calls = memory_zeroed(1, sizeof *profile->process_calls);
  profile->metrics[0].measures[0].delivered = (struct amount){0, 100};
  struct costs *given = given_create(profile);
  given->self = (struct amount){0, 100};
  given->functions[0].self = (struct amount){0, 30};
  given->functions[1].self = (struct amount){0, 70};
  given->functions[1].recursive = 4;
  given->line_self[0] = (struct amount){0, 50}; /* in f */
  given->arcs = memory_zeroed(1, sizeof *given->arcs);
  given->arcs[given->arc_count++] =
      (struct arc_cost){.caller = 0, .callee = 1, .calls = 3, .in_child = {0, 70}};
  struct export_options options = {.selection.thread = NOTHING};
  struct export_data data;
  size_t count;
  export_data_open(&data, profile, &options);
  CHECK_EQUAL(data.ns, 100);
  struct callgrind_row *rows = callgrind_rows(&data, &count);
  const struct callgrind_row *f = find(rows, count, 1, NOTHING), *arc = find(rows, count, 0, 1);
  CHECK_EQUAL(find(rows, count, 0, NOTHING)->ns, 30);
  CHECK_EQUAL(f[0].ns, 20);
  CHECK_EQUAL(f[0].place.line, 0);
  CHECK_EQUAL(f[1].ns, 50);
  CHECK_EQUAL(f[1].place.line, 20);
  CHECK_EQUAL(arc->ns, 70);
  CHECK_EQUAL(arc->calls, 3);
  CHECK_EQUAL(arc->place.line, 15);
  CHECK_EQUAL(find(rows, count, 1, 1)->calls, 4);
  free(rows);
  export_data_close(&data);
  profile_free(profile);
}

int main(void) {
  inclusive();
  several_lines();
  from_elsewhere();
  return check_result();
}
