/* Programs of language hosts, from the recording to the report: no ELF file says anything here. */
#include "recording/reader.h"

#include <stdlib.h>
#include <unistd.h>

#include "attribution/costs.h"
#include "attribution/merge/merge.h"
#include "attribution/own_code.h"
#include "attribution/recorded/normalise.h"
#include "attribution/recorded/recorded_object.h"
#include "check.h"
#include "recording_fixture.h"
#include "report/report.h"
#include "report/terminal.h"
#include "store/store.h"

static struct profile *profile_of(const char *directory) {
  struct recording *recording = NULL;
  struct profile *profile = NULL;
  struct error error = {""};
  CHECK_EQUAL(recording_open(directory, &recording, NULL, &error), 0);
  CHECK_EQUAL(profile_from_recording(recording, &profile, &error), 0);
  CHECK_TEXT(error.text, "");
  if (!profile) exit(1);
  recording_close(recording);
  return profile;
}

static struct profile *recorded(uint32_t pid, uint64_t shift) {
  char *directory = fixture_directory();
  struct fixture fixture = fixture_of_host(pid, shift);
  fixture_write(&fixture, directory, 0);
  struct profile *profile = profile_of(directory);
  fixture_free(&fixture);
  fixture_remove(directory);
  return profile;
}

static uint32_t named(const struct profile *profile, const char *name) {
  for (uint32_t i = 0; i < profile->function_count; i++)
    if (strcmp(profile->functions[i].name, name) == 0) return i;
  printf("no function %s\n", name);
  exit(1);
}

static const struct profile_site *site_at(const struct profile *profile, const char *callee,
                                          uint32_t column) {
  uint32_t function = named(profile, callee);
  for (size_t i = 0; i < profile->site_count; i++)
    if (profile->sites[i].callee == function && profile->sites[i].column == column)
      return &profile->sites[i];
  printf("no site of %s in column %u\n", callee, column);
  exit(1);
}

static void check_definition(const struct profile *profile, const char *name, uint32_t line,
                             uint32_t column) {
  const struct profile_function *function = &profile->functions[named(profile, name)];
  CHECK_EQUAL(function->kind, FUNCTION_COUNTED);
  CHECK_EQUAL(function->object, 0);
  CHECK_TEXT(function->file, "/home/queens.scm");
  CHECK_EQUAL(function->line, line);
  CHECK_EQUAL(function->column, column);
  CHECK(own_code(profile, named(profile, name)));
}

static void check_costs(const struct profile *profile, uint64_t times) {
  struct costs *costs = costs_compute(profile, NULL);
  const struct function_cost *queens = &costs->functions[named(profile, "queens")];
  CHECK_EQUAL(queens->calls, 4 * times);
  CHECK_EQUAL(queens->recursive, 30 * times);
  CHECK_EQUAL(queens->self.ticks, 3 * times);
  CHECK_EQUAL(queens->total.ticks, 8 * times);
  const struct function_cost *nameless = &costs->functions[named(profile, "anonymous")];
  CHECK_EQUAL(nameless->calls, 100 * times);
  CHECK_EQUAL(nameless->self.ticks, 5 * times);
  costs_free(costs);
}

static void check_queens(const struct profile *profile, uint64_t times) {
  CHECK_EQUAL(profile->object_count, 1);
  CHECK_TEXT(profile->objects[0].path, "queens");
  CHECK_TEXT(profile->objects[0].message, "");
  CHECK_EQUAL(profile->objects[0].kind, OBJECT_WORLD);
  CHECK_EQUAL(profile->function_count, 4);
  check_definition(profile, "main", 20, 1);
  check_definition(profile, "queens", 3, 1);
  check_definition(profile, "anonymous", 5, 9);
  CHECK_EQUAL(profile->functions[named(profile, "(not defined: 99) in queens")].object, 0);
  const struct profile_site *site = site_at(profile, "anonymous", 20);
  CHECK_EQUAL(site->caller, named(profile, "queens"));
  CHECK_EQUAL(site->within, named(profile, "queens"));
  CHECK_EQUAL(site->object, 0);
  CHECK_TEXT(site->file, "/home/queens.scm");
  CHECK_EQUAL(site->line, 5);
  CHECK(!site->in_doubt && !site->tail);
  check_costs(profile, times);
}

static void check_report(const struct profile *profile, const char *part,
                         void (*print)(const struct profile *, const struct report_options *,
                                       FILE *)) {
  struct report_options options = {.parts = ~0u, .selection.thread = NOTHING, .limit = SIZE_MAX};
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  print(profile, &options, out);
  fclose(out);
  CHECK_CONTAINS(text, part);
  free(text);
}

static void print_text(const struct profile *profile, const struct report_options *options,
                       FILE *out) {
  report_print(profile, options, &(struct terminal){0}, out);
}

static void check_reports(const struct profile *profile) {
  check_report(profile, "queens [", print_text);
  check_report(profile, "queens.scm", print_text);
  check_report(profile, "\"kind\":\"world\"", report_json);
  check_report(profile, "\"line\":5,\"source_column\":9", report_json);
}

/* Recorded, saved, read back and reported. */
static void worlds_need_no_file(void) {
  struct profile *profile = recorded(9, 0), *loaded = NULL;
  char path[] = "/tmp/ascribe-test-XXXXXX";
  struct error error = {""};
  int descriptor = mkstemp(path);
  CHECK(descriptor >= 0);
  check_queens(profile, 1);
  CHECK_EQUAL(profile->metrics[0].instructions[1].offset, 11);
  CHECK_EQUAL(profile->metrics[0].instructions[1].column, 6);
  CHECK_EQUAL(store_save(profile, path, &error), 0);
  CHECK_EQUAL(store_load(path, &loaded, &error), 0);
  CHECK_TEXT(error.text, "");
  if (!loaded) exit(1);
  check_queens(loaded, 1);
  check_reports(loaded);
  profile_free(loaded);
  profile_free(profile);
  close(descriptor);
  unlink(path);
}

static void worlds_have_no_code(void) {
  struct profile *profile = recorded(9, 0);
  struct symbols *symbols = symbols_create();
  struct symbol_file *file;
  struct error error = {""};
  CHECK_EQUAL(recorded_object_file(symbols, &profile->objects[0], &file, &error), -1);
  CHECK_CONTAINS(error.text, "queens was run by a language host");
  symbols_free(symbols);
  profile_free(profile);
}

/* Each host numbers as it likes: where a definition has a place, that is what counts. */
static void numbers_are_those_of_a_process(void) {
  char *directory = fixture_directory();
  struct fixture first = fixture_of_host(9, 0), second = fixture_of_host(10, 1);
  fixture_write(&first, directory, 0);
  fixture_write(&second, directory, 0);
  struct profile *profile = profile_of(directory);
  CHECK_EQUAL(profile->process_count, 2);
  CHECK_EQUAL(profile->object_count, 1);
  check_costs(profile, 2);
  check_definition(profile, "queens", 3, 1);
  CHECK_EQUAL(profile->function_count, 5); /* 99 and 100 are not known to be one */
  profile_free(profile);
  fixture_free(&first);
  fixture_free(&second);
  fixture_remove(directory);
}

/* A host that tells its stack: calls that have not returned, and what runs. Ticks that have a
 * context of the host's have that. */
static void stacks_are_of_places(void) {
  char *directory = fixture_directory();
  struct fixture fixture = fixture_of_host(9, 0);
  fixture_header(&fixture)->tick_flags = TICK_STACKS;
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 100);
  ((struct block_header *)fixture_at(&fixture, functions))->first = 5;
  fixture_function(&fixture, functions, RETURN_ADDRESS | WORLD_ADDRESS(3, 10), 0);
  fixture_function(&fixture, functions, RETURN_ADDRESS | WORLD_ADDRESS(3, 12), 0);
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 100);
  const uint32_t calls[] = {5 << 1 | 1, 6 << 1 | 1};
  uint32_t stack = fixture_context(&fixture, contexts, calls, 2, CONTEXT_READY | CONTEXT_STACK);
  size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 100);
  fixture_tick(&fixture, ticks,
               (struct recorded_tick){0, 0, stack, 0, WORLD_ADDRESS(3, 3), 20, 0, 20000000});
  fixture_write(&fixture, directory, 0);
  struct profile *profile = profile_of(directory);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(costs->functions[named(profile, "main")].total.ticks, 28);
  CHECK_EQUAL(costs->functions[named(profile, "queens")].total.ticks, 28);
  CHECK_EQUAL(costs->functions[named(profile, "anonymous")].self.ticks, 25);
  CHECK_EQUAL(costs->functions[named(profile, "main")].self.ticks, 0);
  const struct profile_stack *outer = &profile->stacks[1];
  CHECK_EQUAL(profile->lines[outer->line].function, named(profile, "main"));
  CHECK_EQUAL(profile->lines[outer->line].line, 21);
  costs_free(costs);
  profile_free(profile);
  fixture_free(&fixture);
  fixture_remove(directory);
}

static void add_place(struct fixture *fixture, uint64_t key, uint64_t within, uint32_t line) {
  size_t world = fixture_world(fixture, 3, 100),
         ticks = fixture_block(fixture, BLOCK_TICKS, 0, 100);
  struct recorded_definition place = {
      .kind = DEFINED_PLACE, .key = key, .within = within, .file = 1, .line = line, .column = 7};
  fixture_definition(fixture, world, &place, "");
  fixture_tick(fixture, ticks,
               (struct recorded_tick){0, 0, 0, 0, WORLD_ADDRESS(3, key), 2, 0, 2000000});
}

/* An expression lies in others, and all of them in a function; two that claim to lie in each other
 * lie in none. */
static void places_are_in_functions(void) {
  char *directory = fixture_directory();
  struct fixture fixture = fixture_of_host(9, 0);
  fixture_header(&fixture)->hooks = HOOKS_HOST;
  add_place(&fixture, 60, 61, 31);
  add_place(&fixture, 61, 10, 30);
  add_place(&fixture, 70, 71, 40);
  add_place(&fixture, 71, 70, 41);
  fixture_write(&fixture, directory, 0);
  struct profile *profile = profile_of(directory);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(costs->functions[named(profile, "main")].self.ticks, 4);
  for (uint32_t i = 0; i < profile->line_count; i++)
    if (profile->lines[i].function == named(profile, "main"))
      CHECK_EQUAL(costs->line_self[i].ticks, profile->lines[i].line / 30 * 2);
  CHECK_EQUAL(profile->functions[named(profile, "(not defined: 70) in queens")].kind,
              FUNCTION_SAMPLED);
  CHECK_EQUAL(costs->functions[named(profile, "(not defined: 71) in queens")].self.ticks, 2);
  costs_free(costs);
  check_report(profile, "language host (its program's calls)", print_text);
  check_report(profile, "\"hooks\":\"language host (its program's calls)\"", report_json);
  check_report(profile, "queens.scm:31", print_text);
  profile_free(profile);
  fixture_free(&fixture);
  fixture_remove(directory);
}

static const struct profile_expression *expression_at(const struct profile *profile,
                                                      uint32_t line) {
  for (size_t i = 0; i < profile->expression_count; i++)
    if (profile->expressions[i].line == line) return &profile->expressions[i];
  printf("no expression in line %u\n", line);
  exit(1);
}

/* Sets add up, and what was counted in pauses does not count. Functions that were entered have
 * their calls from that. */
static void counters_add_up(void) {
  char *directory = fixture_directory();
  struct fixture fixture = fixture_of_host(9, 0);
  size_t world = fixture_world(&fixture, 3, 200);
  const struct recorded_definition branch = {.kind = DEFINED_PLACE,
                                             .key = 50,
                                             .within = 2,
                                             .line = 6,
                                             .column = 3,
                                             .end_line = 7,
                                             .end_column = 9,
                                             .place = 4};
  const struct recorded_definition called = {
      .kind = DEFINED_FUNCTION, .key = 51, .file = 1, .line = 9};
  fixture_definition(&fixture, world, &branch, "");
  fixture_definition(&fixture, world, &called, "called");
  const uint64_t addresses[] = {WORLD_ADDRESS(3, 50),
                                WORLD_ADDRESS(3, 51),
                                WORLD_ADDRESS(3, 2),
                                WORLD_ADDRESS(3, 777),
                                0,
                                0x1000};
  size_t pauses = fixture_block(&fixture, BLOCK_SCRATCH, 0, 500);
  struct recorded_points *sums[2];
  ((struct block_header *)fixture_at(&fixture, pauses))->used += ASCRIBE_ROW_FIRST;
  for (int i = 0; i < 2; i++)
    sums[i] = fixture_points(&fixture, pauses, addresses, 6);
  sums[0]->counts[0] = 100;          /* in a pause that is over */
  sums[1]->counts[0] = (uint64_t)-3; /* before one that is not */
  sums[1]->counts[1] = 0;
  sums[1]->in_pause = ROW_PAUSED;
  fixture_rows_begin(&fixture);
  size_t block = fixture_block(&fixture, BLOCK_POINTS, 0, 500);
  ((struct block_header *)fixture_at(&fixture, block))->pauses = pauses;
  struct recorded_points *sets[3];
  for (int i = 0; i < 2; i++)
    sets[i] = fixture_points(&fixture, block, addresses, 6);
  for (int i = 0; i < 6; i++)
    sets[0]->counts[i] = sets[1]->counts[i] = 150;
  size_t without = fixture_block(&fixture, BLOCK_POINTS, 0, 500);
  sets[2] = fixture_points(&fixture, without, addresses, 6);
  sets[2]->counts[0] = 1000, sets[2]->counts[1] = 7;
  struct recorded_points *new = fixture_points(&fixture, without, addresses, 6);
  new->counts[0] = 5, new->in_pause = 1;
  fixture_points(&fixture, without, addresses, 0)->count = 77; /* damaged */
  fixture_write(&fixture, directory, 0);
  struct profile *profile = profile_of(directory);
  const struct profile_expression *found = expression_at(profile, 6);
  CHECK_EQUAL(found->count, 1053);
  CHECK_EQUAL(found->kind, EXPRESSION_BRANCH);
  CHECK_EQUAL(found->way, 1);
  CHECK_EQUAL(found->end_line, 7);
  CHECK_EQUAL(found->end_column, 9);
  CHECK_TEXT(found->file, "/home/queens.scm");
  CHECK_EQUAL(expression_at(profile, 9)->count, 157);
  CHECK_EQUAL(profile->expression_count, 3);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(costs->functions[named(profile, "called")].calls, 157);
  CHECK_EQUAL(costs->functions[named(profile, "queens")].calls, 4);
  CHECK_EQUAL(costs->functions[named(profile, "queens")].recursive, 30);
  costs_free(costs);
  profile_free(profile);
  fixture_free(&fixture);
  fixture_remove(directory);
}

static void runs_add_up(void) {
  struct profile *first = recorded(9, 0), *second = recorded(9, 7);
  struct error error = {""};
  struct merge *merge = merge_begin();
  CHECK_EQUAL(merge_add(merge, first, "first", false, &error), 0);
  CHECK_EQUAL(merge_add(merge, second, "second", false, &error), 0);
  struct profile *profile = merge_finish(merge);
  CHECK_EQUAL(profile->object_count, 1);
  CHECK_EQUAL(profile->objects[0].kind, OBJECT_WORLD);
  CHECK_TEXT(profile->objects[0].message, "");
  check_costs(profile, 2);
  check_definition(profile, "anonymous", 5, 9);
  CHECK_EQUAL(profile->site_count, first->site_count + 1); /* of 99 and 106 */
  CHECK_EQUAL(site_at(profile, "anonymous", 20)->offset, 0);
  profile_free(profile);
  profile_free(first);
  profile_free(second);
}

/* Two functions of one name in one file, of which each run had another. */
static void loops_stay_apart(void) {
  struct profile *first = recorded(9, 0), *second = recorded(9, 0);
  struct error error = {""};
  struct merge *merge = merge_begin();
  second->functions[named(second, "anonymous")].column = 40;
  CHECK_EQUAL(merge_add(merge, first, "first", false, &error), 0);
  CHECK_EQUAL(merge_add(merge, second, "second", false, &error), 0);
  struct profile *profile = merge_finish(merge);
  CHECK_EQUAL(profile->function_count, first->function_count + 1);
  profile_free(profile);
  profile_free(first);
  profile_free(second);
}

int main(void) {
  worlds_need_no_file();
  worlds_have_no_code();
  numbers_are_those_of_a_process();
  stacks_are_of_places();
  places_are_in_functions();
  counters_add_up();
  runs_add_up();
  loops_stay_apart();
  return check_result();
}
