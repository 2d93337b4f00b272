/* Weights that add up, and names that tell apart. */
#include "exchange/export_data.h"

#include <stdlib.h>

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

static uint64_t sum(const struct export_data *data) {
  uint64_t ns = 0;
  for (size_t i = 0; i < data->sample_count; i++)
    ns += data->samples[i].ns;
  return ns;
}

/* Each context's share is no whole number of nanoseconds; their sum is, and equals the report's. */
static void rounding(void) {
  program_start(&program);
  for (int i = 0; i < 1000; i++) {
    char names[64];
    snprintf(names, sizeof names, "main f%d g", i);
    calls_and_tick(names, 1);
  }
  struct profile *profile = program_end(&program);
  profile->processes[0].cpu_user_ns = 1000000501;
  profile->processes[0].tick_flags = 0; /* the ticks are all of the CPU time */
  struct export_options options = {.selection.thread = NOTHING};
  struct export_data data;
  export_data_open(&data, profile, &options);
  CHECK_EQUAL(data.ns, 1000000501);
  CHECK_EQUAL(sum(&data), 1000000501);
  CHECK_EQUAL(data.all.ticks, 1000);
  for (size_t i = 0; i < data.sample_count; i++)
    CHECK(data.samples[i].ns == 1000000 || data.samples[i].ns == 1000001);
  export_data_close(&data);
  profile_free(profile);
}

static void selection(void) {
  program_start(&program);
  calls_and_tick("main f g", 10);
  calls_and_tick("main h", 20);
  uint32_t focus = program_function(&program, "f");
  program_thread(&program, "second");
  calls_and_tick("start", 5);
  struct profile *profile = program_end(&program);
  struct export_options options = {.selection = {&focus, 1, NOTHING}};
  struct export_data data;
  export_data_open(&data, profile, &options);
  CHECK_EQUAL(data.ns, 10000000);
  export_data_close(&data);
  options.selection = (struct selection){.thread = 1};
  export_data_open(&data, profile, &options);
  CHECK_EQUAL(data.ns, 5000000);
  CHECK_CONTAINS(data.remarks[2], "of one thread only");
  export_data_close(&data);
  profile_free(profile);
}

static void names(void) {
  program_start(&program);
  program_calls(&program, "a b c d e f");
  struct profile *profile = program_end(&program);
  static const char *const given[] = {"same", "same", "two\nlines", "same", "", "\xff"};
  for (size_t i = 0; i < 6; i++)
    profile->functions[i].name = given[i];
  profile->functions[1].file = NULL;
  profile->functions[3] = profile->functions[0];
  struct export_options options = {.selection.thread = NOTHING};
  struct export_data data;
  export_data_open(&data, profile, &options);
  CHECK_TEXT(data.names[0], "same (fixture.c:10 in fixture) #1");
  CHECK_TEXT(data.names[1], "same (in fixture)");
  CHECK_TEXT(data.names[2], "two?lines");
  CHECK_TEXT(data.names[3], "same (fixture.c:10 in fixture) #4");
  CHECK_TEXT(data.names[4], "? (fixture.c:50 in fixture)");
  CHECK_TEXT(data.names[5], "? (fixture.c:60 in fixture)");
  export_data_close(&data);
  profile_free(profile);
}

static void remarks(void) {
  program_start(&program);
  calls_and_tick("main", 10);
  struct profile *profile = program_end(&program);
  profile->processes[0].cpu_system_ns = 30000000;
  profile->processes[0].command = "./a\nb";
  struct export_options options = {.selection.thread = NOTHING};
  struct export_data data;
  export_data_open(&data, profile, &options);
  CHECK_TEXT(data.title, "./a?b");
  CHECK_CONTAINS(data.remarks[0], "profile of Ascribe test");
  CHECK_CONTAINS(data.remarks[1], "self times of all functions: 10.0 ms");
  CHECK_CONTAINS(data.remarks[1], "from 10 ticks");
  CHECK_TEXT(data.remarks[2], "not in here: the kernel, not sampled 30.0 ms");
  CHECK(!data.remarks[3]);
  export_data_close(&data);
  profile_free(profile);
}

int main(void) {
  rounding();
  selection();
  names();
  remarks();
  return check_result();
}
