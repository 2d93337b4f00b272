/* Writes a profile for the tests of exports: profiles KIND FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/given.h"
#include "profile_fixture.h"
#include "store/store.h"

static struct program program;

static void ticks_in(const char *names, uint64_t ticks) {
  size_t depth = program.depth;
  program_calls(&program, names);
  if (ticks) program_tick(&program, ticks);
  while (program.depth > depth)
    program_return(&program);
}

/* Each function once active in each stack. */
static void plain(void) {
  ticks_in("main", 3);
  ticks_in("main easy work burn", 101);
  ticks_in("main hard work burn", 902);
  ticks_in("main hard work", 7);
}

/* Mutual and direct recursion, in several threads: inclusive time is what readers get wrong. */
static void recursion(void) {
  plain();
  for (int i = 0; i < 50; i++) {
    ticks_in("main even odd", 3);
    ticks_in("main even odd even odd", 2);
    ticks_in("main even odd even odd even burn", 1);
    ticks_in("main odd even odd", 1);
  }
  ticks_in("main fib fib fib fib", 40);
  ticks_in("main fib fib fib burn", 4);
  program_thread(&program, "second");
  ticks_in("start even odd even", 30);
  ticks_in("start parse term factor parse term factor lex", 60);
  ticks_in("start parse term factor", 11);
}

/* What stands in the way of each format's syntax. */
static void names(void) {
  static const char *const list[] = {
      "std::map<int, std::vector<char>>::operator[](int const&)",
      "operator()<a & b>(char const*, ...) const",
      "f(std::array<int, 4>; semi;colons)",
      "two\nlines\tand\ttabs",
      "quote\"s and 'others' \\ back",
      "(anonymous namespace)::g(int)",
      "(7) looks compressed",
      "ends with a number 42",
      "]]></title><script>alert(1)</script>",
      "fn=(1) calls=3",
      "# no comment",
      "gr\xc3\xbc\xc3\x9f dich \xe2\x82\xac \xf0\x9f\x94\xa5",
      "broken \xff\xfe utf-8 \xc3",
      "not a character \xef\xbf\xbf",
      "",
      "_ZN3foo3barEv",
  };
  program_call(&program, program_function(&program, "main"));
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    program_call(&program, program_function(&program, list[i]));
    program_tick(&program, 10 + i);
    program_return(&program);
  }
  program_return(&program);
  program_thread(&program, "wor;ker <&\">\n");
  ticks_in("main", 5);
}

/* Several functions of one name, in files and objects of their own. */
static void same_names(void) {
  ticks_in("main first", 10);
  ticks_in("main second", 20);
  ticks_in("main third first", 40);
  ticks_in("main fourth", 80);
  struct profile *profile = program.profile;
  for (size_t i = 1; i < profile->function_count; i++)
    profile->functions[i].name = "same";
  profile->functions[3].file = "other.c";
  profile->functions[4].file = "other.c"; /* nothing tells it from the third but its number */
  profile->functions[4].line = profile->functions[3].line;
}

static void no_time(void) {
  for (int i = 0; i < 7; i++)
    ticks_in("main f g", 0);
}

/* As a program without debug information has it: no line of anything, and no object either. */
static void no_lines(void) {
  plain();
  struct profile *profile = program.profile;
  for (size_t i = 0; i < profile->line_count; i++)
    profile->lines[i] = (struct profile_line){.function = profile->lines[i].function};
  for (size_t i = 0; i < profile->site_count; i++) {
    profile->sites[i].file = NULL;
    profile->sites[i].line = 0;
  }
  for (size_t i = 0; i < profile->function_count; i++) {
    profile->functions[i].file = profile->functions[i].linkage = NULL;
    profile->functions[i].line = 0;
    profile->functions[i].object = NOTHING;
  }
}

/* Code of a header is inlined: it runs in all functions but one, and it calls in `work`. */
static void inlined(void) {
  plain();
  struct profile *profile = program.profile;
  profile->functions[program_function(&program, "burn")].bodies = BODY_INLINED;
  profile->functions[program_function(&program, "work")].bodies = BODY_OWN | BODY_INLINED;
  for (size_t i = 0; i < profile->line_count; i++)
    if (profile->lines[i].function != program_function(&program, "burn"))
      profile->lines[i] = (struct profile_line){profile->lines[i].function, 7, "header.h"};
  for (size_t i = 0; i < profile->site_count; i++)
    if (profile->sites[i].callee == program_function(&program, "burn")) {
      profile->sites[i].file = "header.h";
      profile->sites[i].line = 8;
    }
}

/* Recorded by another event than time: amounts are of its unit. */
static void faults(void) {
  plain();
  struct profile *profile = program.profile;
  profile->metrics[0].kind = METRIC_EVENT;
  profile->metrics[0].name = profile->metrics[0].unit = "page-faults";
}

/* Time, and an event that happened three times as often in the first function that ticked. */
static void metrics(void) {
  plain();
  struct profile *profile = program.profile;
  uint32_t id = metrics_add(profile, METRIC_EVENT, "page-faults", "page-faults");
  const struct profile_metric *cpu = &profile->metrics[0];
  struct profile_metric *faults = &profile->metrics[id];
  for (size_t i = 0; i < cpu->tick_count; i++) {
    ARRAY_GROW(faults->ticks, faults->tick_count);
    struct profile_tick *tick = &faults->ticks[faults->tick_count++];
    *tick = cpu->ticks[i];
    tick->amount.raw_ns = tick->amount.ticks * (i ? 1 : 3);
  }
}

/* Time in the kernel and in the profiler, ticks without room, hooks, a process that was killed. */
static void unattributed(void) {
  plain();
  program_call(&program, program_function(&program, "printf"));
  program_tick(&program, 4);
  program_return(&program);
  struct profile *profile = program.profile;
  struct profile_process *process = &profile->processes[0];
  profile->functions[program_function(&program, "printf")].file = "/usr/include/stdio.h";
  metrics_measure(&profile->metrics[0], 0)->profiler = (struct amount){20, 20000000};
  process->drops[DROP_TICKS] = 5;
  process->cpu_user_ns += 30000000;
  process->cpu_system_ns = 300000000;
  process->handler_ns = 5000000;
  process->hook_low_ps = 20000000000;
  process->hook_high_ps = 90000000000;
  process->end = PROCESS_END_UNKNOWN;
  for (size_t i = 0; i < profile->site_count; i++)
    profile->sites[i].in_doubt = profile->sites[i].callee == program_function(&program, "burn");
}

/* As a file of callgrind is imported: costs of functions and arcs, no contexts. */
static void arcs_only(void) {
  program_calls(&program, "main f");
  struct profile *profile = program.profile;
  profile->context_count = 1;
  profile->transition_count = 0;
  profile->origin.format = "callgrind";
  profile->metrics[0].kind = METRIC_GIVEN;
  profile->metrics[0].name = profile->metrics[0].unit = "Ir";
  profile->metrics[0].evidence = EVIDENCE_COUNTED;
  profile->processes[0].tick_source = TICK_NONE;
  profile->process_calls = memory_zeroed(1, sizeof *profile->process_calls);
  metrics_measure(&profile->metrics[0], 0)->delivered = (struct amount){0, 1000};
  struct costs *given = given_create(profile);
  given->self = (struct amount){0, 1000};
  given->functions[0] = (struct function_cost){.self = {0, 300}, .total = {0, 1000}};
  given->functions[1] = (struct function_cost){.calls = 3, .self = {0, 700}, .total = {0, 700}};
  given->total_known[0] = given->total_known[1] = true;
  given->arcs = memory_zeroed(1, sizeof *given->arcs);
  given->arcs[given->arc_count++] =
      (struct arc_cost){.caller = 0, .callee = 1, .calls = 3, .in_child = {0, 700}};
}

static uint32_t random_below(uint64_t *state, uint32_t bound) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (*state >> 32) % bound;
}

/* A million contexts, with time in each; in another run of the program other time, and one call in
 * a hundred elsewhere. */
static void million_on(uint32_t function_count, unsigned run) {
  enum { CONTEXTS = 1000000, DEEPEST = 40 };
  uint64_t calls = 88172645463325252ull, own = calls + run;
  uint32_t *functions = memory_zeroed(function_count, sizeof *functions);
  for (uint32_t i = 0; i < function_count; i++) {
    char name[64];
    snprintf(name, sizeof name, "module_%u::function_%u(int, char const*)", i % 50, i);
    functions[i] = program_function(&program, name);
  }
  program_call(&program, functions[0]);
  while (program.profile->context_count < CONTEXTS) {
    while (program.depth > 2 && random_below(&calls, 3) == 0)
      program_return(&program);
    if (program.depth == DEEPEST) program_return(&program);
    uint32_t callee = random_below(&calls, function_count);
    if (run && random_below(&own, 100) == 0) callee = random_below(&own, function_count);
    program_call(&program, functions[callee]);
    program_tick(&program, 1 + random_below(&own, 5));
  }
  free(functions);
}

static void million(void) {
  million_on(2000, 0);
}

static void million_large(void) {
  million_on(50000, 0);
}

static void million_again(void) {
  million_on(50000, 1);
}

static void nothing(void) {}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*run)(void);
  } kinds[] = {{"plain", plain},
               {"recursion", recursion},
               {"names", names},
               {"same_names", same_names},
               {"no_time", no_time},
               {"no_lines", no_lines},
               {"inlined", inlined},
               {"faults", faults},
               {"metrics", metrics},
               {"unattributed", unattributed},
               {"arcs_only", arcs_only},
               {"million", million},
               {"million_large", million_large},
               {"million_again", million_again},
               {"nothing", nothing}};
  struct error error;
  for (size_t i = 0; count == 3 && i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, arguments[1]) != 0) continue;
    program_start(&program);
    kinds[i].run();
    struct profile *profile = program_end(&program);
    int result = store_save(profile, arguments[2], &error);
    if (result != 0) fprintf(stderr, "%s\n", error.text);
    return result != 0;
  }
  fputs("usage: profiles KIND FILE\n", stderr);
  return 2;
}
