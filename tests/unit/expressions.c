/* Ranges of source: whose cost an instruction's is. */
#include "attribution/counts/expressions.h"

#include <stdlib.h>

#include "attribution/counts/copies.h"
#include "check.h"
#include "profile/builder.h"

static struct profile *profile;
static struct profile_builder builder;

static void add(uint32_t function, enum expression_kind kind, uint32_t line, uint32_t column,
                uint32_t end_line, uint32_t end_column, uint64_t count) {
  struct profile_expression expression = {.function = function,
                                          .file = pool_string(profile->pool, "a.c"),
                                          .line = line,
                                          .column = column,
                                          .end_line = end_line,
                                          .end_column = end_column,
                                          .kind = kind,
                                          .count = count};
  builder_expression(&builder, expression);
}

/* if (a) b; in a function of lines 1 to 6, and the same lines in another one. */
static void fill(void) {
  profile = profile_create();
  builder_open(&builder, profile);
  add(0, EXPRESSION_CODE, 1, 10, 6, 2, 7);
  add(0, EXPRESSION_CODE, 3, 7, 3, 8, 7);
  add(0, EXPRESSION_GAP, 3, 9, 4, 5, 2);
  add(0, EXPRESSION_CODE, 4, 5, 4, 9, 2);
  add(0, EXPRESSION_BRANCH, 3, 7, 3, 8, 2);
  add(1, EXPRESSION_CODE, 1, 10, 6, 2, 100);
  add(0, EXPRESSION_CODE, 4, 5, 4, 9, 1); /* the same once more */
  builder_close(&builder);
}

static void same_ranges_add_up(void) {
  CHECK_EQUAL(profile->expression_count, 6);
  CHECK_EQUAL(profile->expressions[3].count, 3);
}

static void add_case(uint32_t which, const char *label, uint64_t count) {
  struct profile_expression expression = {.file = pool_string(profile->pool, "b.c"),
                                          .line = 3,
                                          .column = 3,
                                          .kind = EXPRESSION_CASE,
                                          .way = which,
                                          .label = pool_string(profile->pool, label),
                                          .count = count};
  builder_expression(&builder, expression);
}

/* Two switches of one place, whose cases came in turn; executions whose way is not known. */
static void cases(void) {
  struct profile *whole = profile;
  profile = profile_create();
  builder_open(&builder, profile);
  add_case(0, "case 1", 5);
  add_case(1, "case 1", 6);
  add_case(0, "default", 7);
  add_case(1, NULL, 8);
  add_case(0, "case 1", 10);
  add_case(1, "case 2", 0);
  builder_close(&builder);
  CHECK_EQUAL(profile->expression_count, 5);
  const struct profile_expression *ways[5];
  for (int i = 0; i < 5; i++)
    ways[i] = &profile->expressions[4 - i];
  expressions_sort_ways(ways, 5);
  const uint64_t sorted[] = {15, 7, 6, 8, 0};
  for (int i = 0; i < 5; i++)
    CHECK_EQUAL(ways[i]->count, sorted[i]);
  CHECK(expressions_are_one_condition(ways[0], ways[1]));
  CHECK(!expressions_are_one_condition(ways[1], ways[2]));
  CHECK(expressions_are_one_condition(ways[2], ways[4]));
  for (int i = 0; i < 5; i++)
    CHECK_EQUAL(expression_is_branch(ways[i]), i != 3);
  profile_free(profile);
  profile = whole;
}

/* The condition's instruction came through an expansion; the clone has another's. */
static void cost_of_copies(void) {
  struct profile_builder copies;
  builder_open(&copies, profile);
  uint32_t through = builder_expansion(
      &copies, (struct profile_expansion){.parent = NOTHING, .function = 0, .line = 5});
  CHECK_EQUAL(builder_expansion(&copies, profile->expansions[0]), through);
  builder_copy(&copies, (struct profile_copy){1, 1, through, NULL, 3});
  builder_copy(&copies, (struct profile_copy){1, 1, NOTHING, NULL, 4});
  builder_copy(&copies, (struct profile_copy){0, 0, NOTHING, ".isra.0", 5});
  builder_copy(&copies, (struct profile_copy){0, 0, NOTHING, ".isra.0", 6});
  CHECK_EQUAL(profile->copy_count, 3);
  CHECK_EQUAL(profile->copies[2].count, 11);
  profile->metrics[0].instructions[1].within = 1;
  profile->metrics[0].instructions[1].expansion = through;
  profile->metrics[0].instructions[2].expansion = NOTHING;
  profile->metrics[0].instructions[2].clone = profile->copies[2].clone;
  struct amount *self = copies_self(profile);
  CHECK_EQUAL(self[0].ticks, 2);
  CHECK_EQUAL(self[1].ticks, 0);
  CHECK_EQUAL(self[2].ticks, 4);
  free(self);
  builder_close(&copies);
}

/* Of instructions of one range, two ways that it came to where it runs; none without a function
 * around it. Copies of a macro's text are counted, and stay. */
static void sampled_copies(void) {
  struct profile_builder copies;
  builder_open(&copies, profile);
  profile->copy_count = 0;
  builder_copy(&copies, (struct profile_copy){1, 1, NOTHING, "counted", 3});
  for (int i = 0; i < 3; i++)
    profile->metrics[0].instructions[i] = (struct profile_instruction){.line = 0,
                                                                       .column = 1,
                                                                       .self = {1 << i, 10},
                                                                       .within = i < 2 ? 0 : 1,
                                                                       .expansion = NOTHING};
  profile->metrics[0].instructions[3].within = NOTHING;
  profile->metrics[0].instruction_count = 4;
  copies_find(&copies);
  CHECK_EQUAL(profile->copy_count, 3);
  CHECK_EQUAL(profile->copies[0].count, 3);
  CHECK_EQUAL(profile->copies[1].count, COPY_UNCOUNTED);
  CHECK_EQUAL(profile->copies[1].within, 0);
  CHECK_EQUAL(profile->copies[2].within, 1);
  struct amount *self = copies_self(profile);
  CHECK_EQUAL(self[0].ticks, 0);
  CHECK_EQUAL(self[1].ticks, 3);
  CHECK_EQUAL(self[2].ticks, 4);
  free(self);
  builder_close(&copies);
}

static void names_of_clones(void) {
  CHECK(!copies_clone(profile->pool, "work"));
  CHECK(!copies_clone(profile->pool, ".L5"));
  CHECK(!copies_clone(profile->pool, "work.cold"));
  CHECK_TEXT(copies_clone(profile->pool, "work.constprop.0"), ".constprop.0");
  CHECK_TEXT(copies_clone(profile->pool, "work.isra.0.cold"), ".isra.0");
}

static void cost(void) {
  struct profile_line places[] = {{0, 2, pool_string(profile->pool, "a.c")},
                                  {0, 3, pool_string(profile->pool, "a.c")},
                                  {0, 4, pool_string(profile->pool, "a.c")},
                                  {0, 9, pool_string(profile->pool, "a.c")},
                                  {1, 4, pool_string(profile->pool, "a.c")}};
  struct profile_instruction instructions[] = {
      {.line = 0, .column = 1, .self = {1, 10}},   /* the whole function's */
      {.line = 1, .column = 7, .self = {2, 20}},   /* the condition's */
      {.line = 1, .column = 8, .self = {4, 40}},   /* behind it */
      {.line = 2, .column = 0, .self = {8, 80}},   /* the column is not known: the innermost */
      {.line = 3, .column = 1, .self = {16, 160}}, /* behind everything */
      {.line = 4, .column = 6, .self = {32, 320}},
  };
  profile->lines = places;
  profile->line_count = sizeof places / sizeof *places;
  profile->metrics[0].instructions = instructions;
  profile->metrics[0].instruction_count = sizeof instructions / sizeof *instructions;
  struct amount *self = expressions_self(profile);
  CHECK_EQUAL(self[0].ticks, 1 + 4);
  CHECK_EQUAL(self[1].raw_ns, 20);
  CHECK_EQUAL(self[2].ticks, 0);
  CHECK_EQUAL(self[3].ticks, 8);
  CHECK_EQUAL(self[5].ticks, 32);
  free(self);
  cost_of_copies();
  sampled_copies();
  profile->lines = NULL;
  profile->metrics[0].instructions = NULL;
  profile->line_count = profile->metrics[0].instruction_count = 0;
}

int main(void) {
  fill();
  same_ranges_add_up();
  cases();
  cost();
  names_of_clones();
  profile_free(profile);
  return check_result();
}
