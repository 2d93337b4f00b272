/* Tracefiles of lcov: which lines, functions and branches were executed, and how often.
 * Source: geninfo(1), "FILES". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribution/counts/expressions.h"
#include "attribution/counts/line_counts.h"
#include "exchange/export_data.h"
#include "exchange/export_formats.h"
#include "exchange/export_names.h"
#include "symbols/demangle.h"

/* What is known of a function from the source that it has. */
enum { HAS_LINES = 1, HAS_CODE = 2, WAS_EXECUTED = 4 };

static uint8_t *look_at_functions(const struct profile *profile) {
  uint8_t *known = memory_zeroed(profile->function_count, sizeof *known);
  for (size_t i = 0; i < profile->expression_count; i++) {
    const struct profile_expression *expression = &profile->expressions[i];
    uint8_t *of = &known[expression->function];
    bool line = expression->kind == EXPRESSION_LINE;
    if (line) *of |= HAS_LINES;
    if (line || expression->kind == EXPRESSION_CODE)
      *of |= expression->count ? HAS_CODE | WAS_EXECUTED : HAS_CODE;
  }
  return known;
}

/* Not those that the compiler made up, and not those whose calls are not known, as all of them were
 * inlined. */
static bool is_of_file(const struct profile *profile, size_t id, uint8_t known, const char *file) {
  const struct profile_function *function = &profile->functions[id];
  if (!function->file || !function->line || strcmp(function->file, file) != 0) return false;
  bool as_written = function->object != NOTHING &&
                    profile->objects[function->object].counted & COUNTED_AS_WRITTEN;
  if (as_written && !(known & HAS_LINES)) return false;
  return function->kind == FUNCTION_COUNTED || (known & (HAS_CODE | WAS_EXECUTED)) == HAS_CODE;
}

/* Its linkage name, without what names a clone, so that files of several runs can be added up. */
static char *name_in_source(const struct profile_function *function) {
  return function->linkage
             ? memory_text_part(function->linkage, demangle_base_length(function->linkage))
             : memory_text(function->name);
}

static void write_functions(const struct profile *profile, const struct costs *costs,
                            const char *file, struct pool *pool, FILE *out) {
  size_t found = 0, hit = 0;
  uint8_t *known = look_at_functions(profile);
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    if (!is_of_file(profile, i, known[i], file)) continue;
    char *whole = name_in_source(function);
    const char *name = export_clean(pool, whole);
    uint64_t calls = costs->functions[i].calls + costs->functions[i].recursive;
    fprintf(out, "FN:%" PRIu32 ",%s\nFNDA:%" PRIu64 ",%s\n", function->line, name, calls, name);
    found++;
    hit += calls > 0;
    free(whole);
  }
  fprintf(out, "FNF:%zu\nFNH:%zu\n", found, hit);
  free(known);
}

/* The ways of one condition: "-" where it was never come to. */
static size_t write_condition(const struct profile_expression *const *ways, size_t count,
                              size_t number, FILE *out) {
  uint64_t sum = 0;
  size_t hit = 0;
  for (size_t i = 0; i < count; i++)
    sum += ways[i]->count;
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "BRDA:%" PRIu32 ",%zu,%zu,", ways[i]->line, number, i);
    fprintf(out, sum ? "%" PRIu64 "\n" : "-\n", ways[i]->count);
    hit += ways[i]->count > 0;
  }
  return hit;
}

/* Conditions and switches of a file are numbered line by line. */
static void write_branches(const struct profile *profile, const char *file, FILE *out) {
  const struct profile_expression **ways = memory_zeroed(profile->expression_count, sizeof(*ways));
  size_t found = 0, hit = 0, number = 0;
  for (size_t i = 0; i < profile->expression_count; i++)
    if (expression_is_branch(&profile->expressions[i]) &&
        strcmp(profile->expressions[i].file, file) == 0)
      ways[found++] = &profile->expressions[i];
  expressions_sort_ways(ways, found);
  for (size_t i = 0, next; i < found; i = next) {
    for (next = i + 1; next < found; next++)
      if (!expressions_are_one_condition(ways[i], ways[next])) break;
    hit += write_condition(&ways[i], next - i, number++, out);
  }
  if (found) fprintf(out, "BRF:%zu\nBRH:%zu\n", found, hit);
  free(ways);
}

static void write_lines(const struct profile *profile, const char *file, FILE *out) {
  struct executed_lines lines;
  struct executed_line line;
  size_t found = 0, hit = 0;
  executed_lines_open(&lines, profile, file, NULL);
  while (executed_lines_next(&lines, &line)) {
    if (!line.known) continue;
    fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", line.line, line.count);
    found++;
    hit += line.count > 0;
  }
  fprintf(out, "LF:%zu\nLH:%zu\n", found, hit);
}

/* The profile may have their text, but who reads tracefiles looks for the files. */
static void say_missing(const struct export_data *data, const char *const *files, size_t count) {
  static const char advice[] = "not there to be read: genhtml --ignore-errors source goes on";
  char text[512];
  size_t missing = 0;
  const char *first = NULL;
  for (size_t i = 0; i < count; i++) {
    if (access(files[i], R_OK) == 0) continue;
    if (!first) first = files[i];
    missing++;
  }
  if (!missing || !data->options->say) return;
  if (missing == 1)
    snprintf(text, sizeof text, "%.300s is %s", first, advice);
  else
    snprintf(text, sizeof text, "%.300s and %zu more files are %s", first, missing - 1, advice);
  data->options->say(export_clean(data->pool, text));
}

static int write_lcov(const struct export_data *data, FILE *out, struct error *error) {
  size_t count;
  struct costs *costs = costs_compute(data->profile, NULL);
  const char **files = expressions_files(data->profile, &count);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "TN:\nSF:%s\n", export_clean(data->pool, files[i]));
    write_functions(data->profile, costs, files[i], data->pool, out);
    write_branches(data->profile, files[i], out);
    write_lines(data->profile, files[i], out);
    fputs("end_of_record\n", out);
  }
  say_missing(data, files, count);
  free(files);
  costs_free(costs);
  return 0;
}

const struct export_format export_lcov = {"lcov", ".info", "lcov, genhtml", EXPORT_EXPRESSIONS,
                                          write_lcov};
