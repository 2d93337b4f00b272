/* How often lines were executed: what their ranges, regions, macros and ticks say. */
#include "attribution/counts/line_counts.h"

#include <stdlib.h>

#include "attribution/counts/expressions.h"
#include "check.h"
#include "profile/builder.h"

static struct profile *profile;
static struct profile_builder builder;

/* Three functions of an object that counts no lines. */
static void begin(void) {
  static const struct profile_function function = {.name = "f", .kind = FUNCTION_COUNTED};
  profile = profile_create();
  builder_open(&builder, profile);
  profile->objects = memory_zeroed(1, sizeof *profile->objects);
  profile->objects[profile->object_count++].counted = COUNTED_OPTIMIZED;
  profile->functions = memory_zeroed(3, sizeof function);
  while (profile->function_count < 3)
    profile->functions[profile->function_count++] = function;
}

static void range_in(const char *file, uint32_t function, enum expression_kind kind, uint32_t line,
                     uint32_t column, uint32_t end_line, uint32_t end_column, uint64_t count) {
  struct profile_expression expression = {.function = function,
                                          .file = pool_string(profile->pool, file),
                                          .line = line,
                                          .column = column,
                                          .end_line = end_line,
                                          .end_column = end_column,
                                          .kind = kind,
                                          .count = count};
  builder_expression(&builder, expression);
}

static void range(uint32_t function, enum expression_kind kind, uint32_t line, uint32_t column,
                  uint32_t end_line, uint32_t end_column, uint64_t count) {
  range_in("a.c", function, kind, line, column, end_line, end_column, count);
}

/* So often of an expression's count is that of the copy that was expanded in this way. */
static void copy(uint32_t expression, uint32_t expansion, uint64_t count) {
  size_t copies = profile->copy_count++;
  profile->copies = memory_resized(profile->copies, copies + 1, sizeof *profile->copies);
  profile->copies[copies] = (struct profile_copy){
      expression, profile->expressions[expression].function, expansion, NULL, count};
}

/* A tick on a line of a.c while the function ran. */
static void tick(uint32_t function, uint32_t line) {
  profile->lines = memory_resized(profile->lines, profile->line_count + 1, sizeof *profile->lines);
  profile->metrics[0].ticks =
      memory_resized(profile->metrics[0].ticks, profile->metrics[0].tick_count + 1,
                     sizeof *profile->metrics[0].ticks);
  profile->metrics[0].ticks[profile->metrics[0].tick_count++] =
      (struct profile_tick){.line = profile->line_count,
                            .stack = NOTHING,
                            .centre = NOTHING,
                            .kind = NOTHING,
                            .amount = {1, 1000}};
  profile->lines[profile->line_count++] =
      (struct profile_line){function, line, pool_string(profile->pool, "a.c")};
}

/* "1:7 2:?" of the lines of a file; m: text of macros. Of one function, or of all. */
static const char *lines_of(const char *file, uint32_t function) {
  static char text[256];
  bool member[3] = {false};
  struct executed_lines lines;
  struct executed_line line;
  size_t used = 0;
  text[0] = '\0';
  if (function != NOTHING) member[function] = true;
  executed_lines_open(&lines, profile, file, function == NOTHING ? NULL : member);
  while (executed_lines_next(&lines, &line)) {
    CHECK_EQUAL(line.known + line.macro, 1);
    used += snprintf(text + used, sizeof text - used, "%s%u:", used ? " " : "", line.line);
    if (line.unsure)
      used += snprintf(text + used, sizeof text - used, "?");
    else
      used += snprintf(text + used, sizeof text - used, "%s%u", line.macro ? "m" : "",
                       (unsigned)line.count);
  }
  return text;
}

static void made(void) {
  line_counts_make(profile);
  builder_close(&builder);
  for (size_t i = 1; i < profile->line_count_count; i++)
    CHECK(line_counts_compare(&profile->line_counts[i - 1], &profile->line_counts[i]) < 0);
}

/* if (a) b; of lines 3 and 4 in a function of lines 1 to 6, which shares lines with another. */
static void ranges(void) {
  begin();
  range(0, EXPRESSION_CODE, 1, 10, 6, 2, 7);
  range(0, EXPRESSION_CODE, 3, 7, 3, 8, 8);
  range(0, EXPRESSION_CODE, 4, 5, 4, 9, 3);
  range(0, EXPRESSION_BRANCH, 3, 7, 3, 8, 2);
  range(1, EXPRESSION_CODE, 6, 1, 7, 1, 100);
  range_in("b.c", 1, EXPRESSION_CODE, 9, 0, 0, 0, 5);
  range_in("b.c", 1, EXPRESSION_CODE, 9, 2, 9, 3, 4);
  made();
  CHECK_TEXT(lines_of("a.c", 0), "1:7 2:7 3:8 4:7 5:7 6:7");
  CHECK_TEXT(lines_of("a.c", 1), "6:100"); /* nothing of line 7 */
  CHECK_TEXT(lines_of("a.c", NOTHING), "1:7 2:7 3:8 4:7 5:7 6:107");
  CHECK_TEXT(lines_of("b.c", NOTHING), "9:5");
  CHECK_TEXT(lines_of(NULL, 1), "6:100 9:5");
  CHECK_TEXT(lines_of("c.c", NOTHING), "");
  struct coverage coverage;
  line_counts_coverage(profile, &coverage);
  CHECK_EQUAL(coverage.lines, 7);
  CHECK_EQUAL(coverage.executed_lines, 7);
  CHECK_EQUAL(coverage.branches, 1);
  CHECK_EQUAL(coverage.taken_branches, 1);
  profile_free(profile);
}

/* A lambda of lines 3 to 5 in a function of lines 1 to 6, beside another instance of the function;
 * behind the lambda is a comment. */
static void regions(void) {
  begin();
  for (uint32_t instance = 0; instance < 2; instance++) {
    range(instance, EXPRESSION_CODE, 1, 10, 8, 2, 7);
    range(instance, EXPRESSION_SKIPPED, 6, 1, 6, 9, 0);
    range(instance, EXPRESSION_GAP, 7, 1, 7, 4, 1);
  }
  range(2, EXPRESSION_CODE, 3, 8, 5, 2, 3);
  made();
  CHECK_TEXT(lines_of("a.c", 0), "1:7 2:7 3:7 4:7 5:7 7:7 8:7");
  CHECK_TEXT(lines_of("a.c", 2), "3:3 4:3 5:3");
  CHECK_TEXT(lines_of("a.c", NOTHING), "1:14 2:14 3:14 4:3 5:3 7:14 8:14");
  profile_free(profile);
}

/* Of a function whose lines were counted nothing else says anything. */
static void counted_lines(void) {
  begin();
  range(0, EXPRESSION_CODE, 1, 1, 4, 2, 7);
  range(0, EXPRESSION_LINE, 1, 0, 0, 0, 2);
  range(0, EXPRESSION_LINE, 3, 0, 0, 0, 4);
  range(1, EXPRESSION_CODE, 4, 1, 5, 2, 9);
  range_in("b.c", 0, EXPRESSION_CODE, 1, 1, 1, 2, 7);
  made();
  CHECK_TEXT(lines_of(NULL, NOTHING), "1:2 3:4 4:9 5:9");
  profile_free(profile);
  begin(); /* what the compiler made up has none */
  profile->objects[0].counted |= COUNTED_AS_WRITTEN;
  range(0, EXPRESSION_CODE, 1, 1, 4, 2, 7);
  made();
  CHECK_TEXT(lines_of("a.c", NOTHING), "");
  profile_free(profile);
}

/* Line 2 is an argument of the macro that is called in lines 1 and 2; lines 8 and 9 are its text,
 * in which code of another function begins in line 9. Of line 8 one copy executed the first range
 * most, the other the second. */
static void macros(void) {
  begin();
  range(0, EXPRESSION_CODE, 1, 1, 3, 2, 5);
  range(0, EXPRESSION_MACRO, 2, 3, 2, 9, 50);
  range(0, EXPRESSION_MACRO, 8, 3, 8, 9, 10);
  range(0, EXPRESSION_MACRO, 8, 5, 8, 7, 12);
  range(1, EXPRESSION_MACRO, 8, 3, 8, 9, 100);
  range(0, EXPRESSION_MACRO, 9, 3, 9, 9, 10);
  range(2, EXPRESSION_CODE, 9, 1, 9, 2, 1);
  copy(1, 0, 50);
  copy(2, 0, 10);
  copy(3, 0, 4);
  copy(3, 1, 8);
  copy(4, 2, 100);
  copy(5, 0, 10);
  made();
  CHECK_TEXT(lines_of("a.c", NOTHING), "1:5 2:50 3:5 8:m118 9:1");
  CHECK_TEXT(lines_of("a.c", 0), "1:5 2:50 3:5"); /* the text is the file's */
  profile_free(profile);
}

/* Ticks of a function that has code there, and of one that has none that was counted. */
static void what_ticks_met(void) {
  begin();
  range(0, EXPRESSION_CODE, 1, 1, 1, 2, 0);
  range(1, EXPRESSION_CODE, 1, 1, 1, 2, 3);
  range(0, EXPRESSION_CODE, 2, 1, 2, 2, 0);
  range(0, EXPRESSION_CODE, 3, 1, 3, 2, 4);
  range(0, EXPRESSION_CODE, 5, 1, 5, 2, 0);
  tick(0, 1);
  tick(2, 2);
  tick(0, 3);
  tick(2, 4);
  made();
  CHECK_TEXT(lines_of("a.c", NOTHING), "1:3 2:? 3:4 5:0");
  CHECK_TEXT(lines_of("a.c", 0), "1:? 2:0 3:4 5:0");
  profile_free(profile);
}

/* Files of others may name any line; not all of them can be told of. */
static void absurd_ranges(void) {
  enum { LAST = 1 << 24 };
  begin();
  range(0, EXPRESSION_CODE, 1, 1, UINT32_MAX, 2, 7);
  range(0, EXPRESSION_CODE, LAST - 1, 1, 5, 2, 8);
  range(0, EXPRESSION_CODE, LAST, 1, LAST, 2, 9);
  range(1, EXPRESSION_CODE, 1, 1, UINT32_MAX, 2, 7);
  made();
  CHECK(profile->line_count_count < LAST / 8);
  const struct profile_line_count *last = &profile->line_counts[profile->line_count_count - 1];
  CHECK_EQUAL(last->line, LAST - 1);
  CHECK_EQUAL(last->count, 8);
  profile_free(profile);
}

int main(void) {
  ranges();
  regions();
  counted_lines();
  macros();
  what_ticks_met();
  absurd_ranges();
  return check_result();
}
