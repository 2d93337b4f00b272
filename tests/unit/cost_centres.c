/* Cost centres from the recording to the file, the report and a merge; and hostile recordings. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribution/centre_costs.h"
#include "attribution/merge/merge.h"
#include "attribution/recorded/normalise.h"
#include "check.h"
#include "recording_fixture.h"
#include "report/report.h"
#include "report/terminal.h"
#include "store/store.h"

enum { FIRST = 4, PARSE = FIRST, QUERY, NAMELESS }; /* functions */
enum { PARSE_KEY = 17, QUERY_KEY = 9, UNDEFINED_KEY = 1000 };

/* Of several texts, with a bar where a zero is. */
static void define(struct fixture *fixture, size_t block, uint32_t kind, uint64_t key,
                   const char *texts) {
  struct recorded_definition definition = {.kind = kind, .key = key, .line = 12};
  uint64_t used = ((struct block_header *)fixture_at(fixture, block))->used;
  fixture_definition(fixture, block, &definition, texts);
  char *text = fixture_at(fixture, block + used + sizeof definition);
  for (; *texts; texts++, text++)
    if (*text == '|') *text = '\0';
}

/* parse below which query runs, and once parse again: 4 ticks in query, 3 in parse, 2 in none. */
static struct fixture with_centres(uint32_t pid) {
  struct fixture fixture = fixture_sample(pid);
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 200);
  ((struct block_header *)fixture_at(&fixture, functions))->first = FIRST;
  fixture_function(&fixture, functions, CENTRE_ADDRESS(PARSE_KEY), 0);
  fixture_function(&fixture, functions, CENTRE_ADDRESS(QUERY_KEY), 0);
  fixture_function(&fixture, functions, CENTRE_ADDRESS(UNDEFINED_KEY), 0);
  size_t world = fixture_world(&fixture, CENTRE_WORLD, 1000);
  define(&fixture, world, 0, 0, "given up|a.c|a.c");
  define(&fixture, world, DEFINED_CENTRE, PARSE_KEY, "parse|engine|/home/a.c");
  define(&fixture, world, DEFINED_CENTRE, QUERY_KEY, "query|/home/b.c|/home/b.c");
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  const uint32_t history[] = {PARSE << 1 | 1, QUERY << 1 | 1, NAMELESS << 1 | 1};
  const uint32_t again[] = {PARSE << 1, QUERY << 1 | 1, PARSE << 1 | 1};
  uint32_t parse = fixture_context(&fixture, contexts, history, 1, CONTEXT_READY);
  uint32_t query = fixture_context(&fixture, contexts, history, 2, CONTEXT_READY);
  uint32_t nameless = fixture_context(&fixture, contexts, history, 3, CONTEXT_READY);
  uint32_t folded = fixture_context(&fixture, contexts, again, 3, CONTEXT_READY);
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  const struct ascribe_slot slots[] = {{0, parse, CENTRE_ADDRESS(PARSE_KEY), 0, 5},
                                       {parse, query, CENTRE_ADDRESS(QUERY_KEY), 0, 20},
                                       {query, query, CENTRE_ADDRESS(QUERY_KEY), 0, 3},
                                       {query, folded, CENTRE_ADDRESS(PARSE_KEY), 0, 1},
                                       {query, nameless, CENTRE_ADDRESS(UNDEFINED_KEY), 0, 2}};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
    fixture_slot(&fixture, table, slots[i]);
  size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 1000);
  fixture_tick(&fixture, ticks, (struct recorded_tick){0, query, 0, 0, 0x1021, 4, 0, 4000000});
  fixture_tick(&fixture, ticks, (struct recorded_tick){0, folded, 0, 0, 0x1021, 3, 0, 3000000});
  fixture_tick(&fixture, ticks, (struct recorded_tick){0, 0, 0, 0, 0x1021, 2, 0, 2000000});
  return fixture;
}

static struct profile *profile_of(struct fixture *fixture) {
  char *directory = fixture_directory();
  struct recording *recording = NULL;
  struct profile *profile = NULL;
  struct error error = {""};
  fixture_write(fixture, directory, 0);
  CHECK_EQUAL(recording_open(directory, &recording, NULL, &error), 0);
  CHECK_EQUAL(profile_from_recording(recording, &profile, &error), 0);
  if (!profile) exit(1);
  recording_close(recording);
  fixture_free(fixture);
  fixture_remove(directory);
  return profile;
}

static const struct function_cost *cost_of(const struct centre_costs *costs, const char *name,
                                           const char *module) {
  for (size_t i = 0; i < costs->view.function_count; i++)
    if (strcmp(costs->view.functions[i].name, name) == 0 &&
        strcmp(costs->view.functions[i].linkage, module) == 0)
      return &costs->costs->functions[i];
  printf("no centre %s\n", name);
  exit(1);
}

static void check_centres(const struct profile *profile, uint64_t times) {
  struct centre_costs *costs = centre_costs_make(profile, NULL);
  const struct function_cost *parse = cost_of(costs, "parse", "engine");
  const struct function_cost *query = cost_of(costs, "query", "/home/b.c");
  CHECK_EQUAL(profile->centres->function_count, 3);
  CHECK_EQUAL(parse->calls, 6 * times);
  CHECK_EQUAL(parse->recursive, 0);
  CHECK_EQUAL(parse->self.ticks, 3 * times);
  CHECK_EQUAL(parse->total.ticks, 7 * times); /* once, however often it is on the stack */
  CHECK_EQUAL(query->calls, 20 * times);
  CHECK_EQUAL(query->recursive, 3 * times);
  CHECK_EQUAL(query->self.ticks, 4 * times);
  CHECK_EQUAL(query->total.ticks, 7 * times);
  CHECK_EQUAL(cost_of(costs, "<unknown>", "")->calls, 2 * times);
  CHECK_EQUAL(costs->costs->self.ticks, 7 * times);
  /* Functions have their time in whatever centre, and centres are none. */
  struct costs *functions = costs_compute(profile, NULL);
  CHECK_EQUAL(functions->self.ticks, costs->costs->self.ticks + costs->outside.ticks);
  for (size_t i = 0; i < profile->function_count; i++)
    CHECK(strcmp(profile->functions[i].name, "parse") != 0);
  costs_free(functions);
  centre_costs_free(costs);
}

static void centres_are_costed(void) {
  struct fixture fixture = with_centres(7);
  struct profile *profile = profile_of(&fixture);
  check_centres(profile, 1);
  CHECK_EQUAL(profile->centres->functions[0].line, 12);
  profile_free(profile);
}

static void selections_hold(void) {
  struct fixture fixture = with_centres(7);
  struct profile *profile = profile_of(&fixture);
  const bool none[] = {false};
  struct selection selection = {.thread = NOTHING, .processes = none};
  struct centre_costs *costs = centre_costs_make(profile, &selection);
  CHECK_EQUAL(cost_of(costs, "parse", "engine")->calls, 0);
  CHECK_EQUAL(costs->costs->self.ticks + costs->outside.ticks, 0);
  centre_costs_free(costs);
  const uint32_t focus[] = {0};
  selection = (struct selection){.thread = NOTHING, .focus = focus, .focus_count = 1};
  costs = centre_costs_make(profile, &selection);
  CHECK(costs->costs->calls_unknown);
  centre_costs_free(costs);
  profile_free(profile);
}

static void print(const struct profile *profile, char **text,
                  void (*report)(const struct profile *, const struct report_options *, FILE *)) {
  struct report_options options = {
      .parts = REPORT_CENTRES, .selection.thread = NOTHING, .limit = SIZE_MAX};
  size_t bytes = 0;
  FILE *out = open_memstream(text, &bytes);
  report(profile, &options, out);
  fclose(out);
}

static void print_text(const struct profile *profile, const struct report_options *options,
                       FILE *out) {
  report_print(profile, options, &(struct terminal){0}, out);
}

static void centres_are_saved(void) {
  struct fixture fixture = with_centres(7);
  struct profile *profile = profile_of(&fixture), *loaded = NULL;
  char path[] = "/tmp/ascribe-test-XXXXXX", *text = NULL;
  struct error error = {""};
  int descriptor = mkstemp(path);
  CHECK(descriptor >= 0);
  CHECK_EQUAL(store_save(profile, path, &error), 0);
  CHECK_EQUAL(store_load(path, &loaded, &error), 0);
  CHECK_TEXT(error.text, "");
  if (!loaded) exit(1);
  check_centres(loaded, 1);
  print(loaded, &text, print_text);
  CHECK_CONTAINS(text, "Cost centres");
  CHECK_CONTAINS(text, "engine");
  CHECK_CONTAINS(text, "(in no cost centre)");
  free(text);
  text = NULL;
  print(loaded, &text, report_json);
  CHECK_CONTAINS(text,
                 "\"name\":\"query\",\"module\":\"/home/b.c\",\"file\":\"/home/b.c\",\"line\":12,"
                 "\"source_column\":null,\"end_line\":null,\"end_column\":null,"
                 "\"basis\":\"scope\",\"entries\":23,\"recursive_entries\":3,");
  free(text);
  profile_free(loaded);
  profile_free(profile);
  close(descriptor);
  unlink(path);
}

static void centres_are_merged(void) {
  struct merge *merge = merge_begin();
  struct error error = {""};
  for (uint32_t pid = 7; pid < 9; pid++) {
    struct fixture fixture = with_centres(pid);
    struct profile *profile = profile_of(&fixture);
    CHECK_EQUAL(merge_add(merge, profile, "run", false, &error), 0);
    profile_free(profile);
  }
  CHECK_TEXT(error.text, "");
  struct profile *merged = merge_finish(merge);
  check_centres(merged, 2);
  profile_free(merged);
}

/* Ids that mean something else, texts that lack their ends, two keys of one name. */
static void hostile_recordings_are_read(void) {
  struct fixture fixture = with_centres(7);
  size_t functions = fixture_block(&fixture, BLOCK_FUNCTIONS, 0, 200);
  ((struct block_header *)fixture_at(&fixture, functions))->first = NAMELESS + 1;
  fixture_function(&fixture, functions, CENTRE_ADDRESS(PARSE_KEY + 1), 0);
  size_t world = fixture_world(&fixture, CENTRE_WORLD, 1000);
  define(&fixture, world, DEFINED_CENTRE, PARSE_KEY + 1, "parse|engine|/home/a.c");
  define(&fixture, world, DEFINED_CENTRE, 77, "no module");
  size_t contexts = fixture_block(&fixture, BLOCK_CONTEXTS, 0, 1000);
  const uint32_t mixed[] = {1 << 1 | 1, PARSE << 1 | 1};
  const uint32_t twice[] = {PARSE << 1 | 1, (NAMELESS + 1) << 1 | 1};
  uint32_t of_both = fixture_context(&fixture, contexts, mixed, 2, CONTEXT_READY);
  uint32_t of_one = fixture_context(&fixture, contexts, twice, 2, CONTEXT_READY);
  size_t table = fixture_block(&fixture, BLOCK_TABLE, 0, 1000);
  fixture_slot(&fixture, table, (struct ascribe_slot){of_one, of_both, 0x1010, 0, 1});
  fixture_slot(&fixture, table, (struct ascribe_slot){of_both, of_one, CENTRE_ADDRESS(1), 0, 1});
  fixture_slot(&fixture, table, (struct ascribe_slot){of_one, 0x7fff0000, 0x1010, 0, 1});
  size_t ticks = fixture_block(&fixture, BLOCK_TICKS, 0, 1000);
  const uint32_t wrong[] = {of_both, of_one, 0x7fff0000, 3, 0xf0000000};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    fixture_tick(&fixture, ticks, (struct recorded_tick){0, wrong[i], 0, 0, 0x1031, 1, 0, 1000000});
    fixture_tick(&fixture, ticks, (struct recorded_tick){wrong[i], 0, 0, 0, 0x1031, 1, 0, 1000000});
  }
  struct profile *profile = profile_of(&fixture), *loaded = NULL;
  char path[] = "/tmp/ascribe-test-XXXXXX";
  struct error error = {""};
  int descriptor = mkstemp(path);
  CHECK_EQUAL(store_save(profile, path, &error), 0);
  CHECK_EQUAL(store_load(path, &loaded, &error), 0);
  CHECK_TEXT(error.text, "");
  struct centre_costs *costs = centre_costs_make(profile, NULL);
  CHECK_EQUAL(cost_of(costs, "parse", "engine")->self.ticks, 4); /* two keys of one name are one */
  CHECK_EQUAL(cost_of(costs, "parse", "engine")->total.ticks, 8);
  centre_costs_free(costs);
  profile_free(loaded);
  profile_free(profile);
  close(descriptor);
  unlink(path);
}

int main(void) {
  centres_are_costed();
  selections_hold();
  centres_are_saved();
  centres_are_merged();
  hostile_recordings_are_read();
  return check_result();
}
