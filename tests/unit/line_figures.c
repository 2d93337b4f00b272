/* What lines of source text cost, made and did, whatever functions they are of. */
#include "attribution/line_figures.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/costs.h"
#include "check.h"
#include "profile_fixture.h"

enum { MAIN, F, FUNCTIONS };

static const struct profile_line lines[] = {{MAIN, 3, "a.c"}, {F, 3, "a.c"}, {F, 7, "a.c"},
                                            {F, 7, "b.c"},    {F, 0, "a.c"}, {MAIN, 5, NULL}};
enum { MAIN_3, F_3, F_7, OF_B, UNKNOWN, NO_FILE, LINES };

/* main calls f, twice from line 3; both have text on that line. */
static struct profile *sample(void) {
  struct program program;
  program_start(&program);
  program_call(&program, program_function(&program, "main"));
  program_call(&program, program_function(&program, "f"));
  program_return(&program);
  program_call(&program, program_function(&program, "f"));
  program_tick(&program, 5);
  struct profile *profile = program_end(&program);
  profile->lines = memory_resized(profile->lines, LINES, sizeof *profile->lines);
  memcpy(profile->lines, lines, sizeof lines);
  profile->line_count = LINES;
  for (size_t i = 0; i < profile->site_count; i++) {
    if (profile->sites[i].caller != MAIN) continue;
    profile->sites[i].file = "a.c";
    profile->sites[i].line = 3;
  }
  return profile;
}

/* Four ticks: on f's part of line 3, on line 7 twice, in the other file; main is on line 3. */
static void add_ticks(struct profile *profile) {
  static const uint32_t at[] = {F_3, F_7, F_7, OF_B};
  struct profile_metric *metric = &profile->metrics[0];
  uint32_t context = metric->ticks[0].context;
  profile->stacks = memory_resized(profile->stacks, 1, sizeof *profile->stacks);
  profile->stacks[0] = (struct profile_stack){.parent = NOTHING, .line = MAIN_3};
  profile->stack_count = 1;
  metric->ticks = memory_resized(metric->ticks, 4, sizeof *metric->ticks);
  metric->tick_count = 4;
  for (size_t i = 0; i < 4; i++)
    metric->ticks[i] = (struct profile_tick){context, at[i], 0, NOTHING, NOTHING, {1, 1000}};
}

static void add_counts(struct profile *profile) {
  static const struct profile_line_count counts[] = {{"a.c", 3, MAIN, LINE_COUNTED, 1, 1},
                                                     {"a.c", 3, F, LINE_COUNTED, 2, 2},
                                                     {"a.c", 7, F, LINE_UNSURE, 0, 0},
                                                     {"a.c", 11, F, LINE_MACRO, 4, LINE_NO_SHARE}};
  enum { COUNTS = sizeof counts / sizeof *counts };
  profile->line_counts = memory_resized(NULL, COUNTS, sizeof *counts);
  memcpy(profile->line_counts, counts, sizeof counts);
  profile->line_count_count = COUNTS;
}

static void check_figure(int at, const struct line_figure *figure, uint32_t line,
                         const uint64_t expected[5]) {
  check_equal(__FILE__, at, "line", figure->line, line);
  check_equal(__FILE__, at, "self", figure->self.ticks, expected[0]);
  check_equal(__FILE__, at, "total", figure->total.ticks, expected[1]);
  check_equal(__FILE__, at, "calls", figure->calls, expected[2]);
  check_equal(__FILE__, at, "has code", figure->has_code, expected[3]);
  check_equal(__FILE__, at, "executed", figure->executed, expected[4]);
}
/* self, total, calls, whether it has code, executions */
#define CHECK_FIGURE(figure, line, ...)                                                            \
  check_figure(__LINE__, &(figure), line, (const uint64_t[]){__VA_ARGS__})

/* The line that two functions have stands once, and a tick in both counts once in its total. */
static void all_files(void) {
  struct profile *profile = sample();
  add_ticks(profile);
  add_counts(profile);
  struct costs *costs = costs_compute(profile, NULL);
  bool *selected = costs_select(profile, NULL);
  const struct line_question question = {.selected = selected};
  struct line_figures figures;
  line_figures_make(profile, costs, &question, &figures);
  CHECK_EQUAL(figures.count, 4);
  CHECK_FIGURE(figures.lines[0], 3, 1, 4, 2, true, 3);
  CHECK_FIGURE(figures.lines[1], 7, 2, 2, 0, true, 0);
  CHECK(figures.lines[1].unsure && figures.lines[1].total_known);
  CHECK_FIGURE(figures.lines[2], 11, 0, 0, 0, true, 4);
  CHECK(figures.lines[2].macro);
  CHECK_TEXT(figures.lines[3].file, "b.c");
  CHECK_FIGURE(figures.lines[3], 7, 1, 1, 0, false, 0);
  line_figures_free(&figures);
  free(selected);
  costs_free(costs);
  profile_free(profile);
}

/* Of f alone, in one file: neither main's part of the line nor its calls. Then nothing of counts.
 */
static void of_a_function(void) {
  static const bool member[FUNCTIONS] = {[F] = true};
  struct profile *profile = sample();
  add_ticks(profile);
  add_counts(profile);
  struct costs *costs = costs_compute(profile, NULL);
  bool *selected = costs_select(profile, NULL);
  struct line_question question = {.file = "a.c", .member = member, .selected = selected};
  struct line_figures figures;
  line_figures_make(profile, costs, &question, &figures);
  CHECK_EQUAL(figures.count, 2);
  CHECK_FIGURE(figures.lines[0], 3, 1, 1, 0, true, 2);
  line_figures_free(&figures);
  question.without_counts = true;
  line_figures_make(profile, costs, &question, &figures);
  CHECK_EQUAL(figures.count, 2);
  CHECK_FIGURE(figures.lines[1], 7, 2, 2, 0, false, 0);
  line_figures_free(&figures);
  free(selected);
  costs_free(costs);
  profile_free(profile);
}

/* A file gives totals by function: those of a line that two have cannot be told. */
static void given_totals(void) {
  struct profile *profile = sample();
  struct costs *costs = costs_compute(profile, NULL);
  bool *selected = costs_select(profile, NULL);
  const struct line_question question = {.file = "a.c", .selected = selected};
  struct line_figures figures;
  CHECK(!costs->line_total);
  costs->line_total = memory_zeroed(LINES, sizeof *costs->line_total);
  for (uint32_t i = 0; i < LINES; i++)
    costs->line_total[i] = (struct amount){i + 1, (i + 1) * 1000};
  line_figures_make(profile, costs, &question, &figures);
  CHECK_EQUAL(figures.count, 2);
  CHECK(!figures.lines[0].total_known);
  CHECK(figures.lines[1].total_known);
  CHECK_EQUAL(figures.lines[1].total.ticks, F_7 + 1);
  line_figures_free(&figures);
  free(selected);
  costs_free(costs);
  profile_free(profile);
}

int main(void) {
  all_files();
  of_a_function();
  given_totals();
  return check_result();
}
