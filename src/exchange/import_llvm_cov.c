/* JSON of `llvm-cov export`: how often regions of the source were executed, as clang counted them
 * with -fprofile-instr-generate -fcoverage-mapping (rustc with -C instrument-coverage).
 * Source: LLVM's documentation of llvm-cov and of its coverage mapping format. */
#include <stdlib.h>
#include <string.h>

#include "exchange/counted_source.h"
#include "exchange/import_formats.h"
#include "exchange/json_rows.h"
#include "exchange/whole_input.h"
#include "symbols/demangle.h"

enum { LONGEST_REGION = 1000000 }; /* lines */

struct llvm_import {
  struct counted_source source;
  uint32_t *functions; /* by their place in the file */
  size_t count;
};

/* "file.c:name": a name that is not unique in the program. */
static const char *linkage_of(const char *name) {
  const char *colon = strrchr(name, ':');
  return colon && colon > name && colon[-1] != ':' && colon[1] ? colon + 1 : name;
}

static const char functions_query[] =
    "SELECT f.value->>'name', f.value->>'count', f.value->'filenames'->>0,"
    " f.value->'regions'->0->>0"
    " FROM json_each(?1, '$.data') d, json_each(d.value, '$.functions') f";

static int take_function(void *context, sqlite3_stmt *row, struct error *error) {
  struct llvm_import *import = context;
  const char *linkage = linkage_of(json_row_text(row, 0)), *file = json_row_text(row, 2);
  char *demangled = demangle(linkage);
  struct profile_function function = {.name = demangled[0] ? demangled : "(no name)",
                                      .linkage = linkage,
                                      .file = file[0] ? file : NULL,
                                      .line = json_row_number(row, 3, UINT32_MAX),
                                      .object = NOTHING};
  (void)error;
  ARRAY_GROW(import->functions, import->count);
  import->functions[import->count++] =
      counted_source_function(&import->source, &function, json_row_number(row, 1, COUNTED_MOST));
  free(demangled);
  return 0;
}

/* Columns: the function's place, the file, begin and end, then what was asked for. */
static bool place_of(const struct llvm_import *import, sqlite3_stmt *row,
                     struct profile_expression *expression) {
  uint64_t function = json_row_number(row, 0, UINT32_MAX);
  *expression = (struct profile_expression){.file = json_row_text(row, 1),
                                            .line = json_row_number(row, 2, UINT32_MAX),
                                            .column = json_row_number(row, 3, UINT32_MAX),
                                            .end_line = json_row_number(row, 4, UINT32_MAX),
                                            .end_column = json_row_number(row, 5, UINT32_MAX)};
  if (function >= import->count || !expression->file[0]) return false;
  expression->function = import->functions[function];
  return true;
}

/* The functions' places count on over all of "data", in the order of functions_query. */
#define EACH_FUNCTION                                                                              \
  "WITH f AS (SELECT row_number() OVER () - 1 AS place, f.value AS value"                          \
  " FROM json_each(?1, '$.data') d, json_each(d.value, '$.functions') f)"

enum { REGION_CODE, REGION_EXPANSION, REGION_SKIPPED, REGION_GAP };

static const char regions_query[] =
    EACH_FUNCTION " SELECT f.place, json_extract(f.value, '$.filenames[' || (r.value->>5) || ']'),"
                  " r.value->>0, r.value->>1, r.value->>2, r.value->>3, r.value->>4,"
                  " r.value->>7 FROM f, json_each(f.value, '$.regions') r"
                  " WHERE r.value->>7 < 4";

static int take_region(void *context, sqlite3_stmt *row, struct error *error) {
  struct llvm_import *import = context;
  struct profile_expression region;
  if (!place_of(import, row, &region)) return 0;
  if (region.end_line > region.line && region.end_line - region.line > LONGEST_REGION)
    return error_set(error,
                     "a region of %u lines (%s:%u): llvm-cov writes none so long, so the file is"
                     " damaged: export it again",
                     region.end_line - region.line, region.file, region.line);
  region.count = json_row_number(row, 6, COUNTED_MOST);
  uint64_t kind = json_row_number(row, 7, REGION_GAP);
  region.kind = kind == REGION_GAP       ? EXPRESSION_GAP
                : kind == REGION_SKIPPED ? EXPRESSION_SKIPPED
                                         : EXPRESSION_CODE;
  if (kind == REGION_EXPANSION)
    counted_source_use(&import->source, region);
  else
    counted_source_expression(&import->source, region);
  return 0;
}

static const char branches_query[] =
    EACH_FUNCTION " SELECT f.place, json_extract(f.value, '$.filenames[' || (r.value->>6) || ']'),"
                  " r.value->>0, r.value->>1, r.value->>2, r.value->>3, r.value->>4, r.value->>5"
                  " FROM f, json_each(f.value, '$.branches') r";

/* The condition was true so often, and false so often. */
static int take_branch(void *context, sqlite3_stmt *row, struct error *error) {
  struct llvm_import *import = context;
  struct profile_expression branch;
  (void)error;
  if (!place_of(import, row, &branch)) return 0;
  branch.kind = EXPRESSION_BRANCH;
  for (branch.way = 0; branch.way < 2; branch.way++) {
    branch.count = json_row_number(row, 6 + branch.way, COUNTED_MOST);
    counted_source_expression(&import->source, branch);
  }
  return 0;
}

static int read_text(struct llvm_import *import, struct json_text *json, struct error *error) {
  if (json_rows(json, functions_query, take_function, import, error) != 0 ||
      json_rows(json, regions_query, take_region, import, error) != 0 ||
      json_rows(json, branches_query, take_branch, import, error) != 0)
    return -1;
  if (import->count) return 0;
  return error_set(error, "%s: no functions in it; llvm-cov export has them without -summary-only",
                   json->name);
}

static int read_llvm_cov(struct input *input, const struct import_options *options,
                         struct profile **profile, struct error *error) {
  struct whole_input whole;
  struct json_text json;
  struct llvm_import import = {0};
  if (whole_input_read(&whole, input, error) != 0) return -1;
  counted_source_open(&import.source, "llvm-cov");
  int result = json_text_open(&json, input->name, whole.text, whole.bytes, error);
  if (result == 0) result = read_text(&import, &json, error);
  json_text_close(&json);
  if (result == 0)
    result = counted_source_finish(&import.source, options->executable, profile, error);
  else
    counted_source_discard(&import.source);
  whole_input_free(&whole);
  free(import.functions);
  return result;
}

static bool matches(const char *start, size_t count) {
  static const char begin[] = "{\"data\":[{";
  char inflated[512];
  if (!whole_input_start(&start, &count, inflated, sizeof inflated)) return false;
  return count >= strlen(begin) && memcmp(start, begin, strlen(begin)) == 0;
}

const struct import_format import_llvm_cov = {.name = "llvm-cov",
                                              .words = "JSON of llvm-cov export",
                                              .takes_executable = true,
                                              .matches = matches,
                                              .read = read_llvm_cov};
