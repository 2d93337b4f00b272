/* gcov's JSON, compressed or not: how often lines and branches were executed, as `gcc --coverage`
 * counted them.  What `gcov --stdout` says of several objects are several texts, a line each.
 * Source: gcov(1), "--json-format". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/counted_source.h"
#include "exchange/import_formats.h"
#include "exchange/json_rows.h"
#include "exchange/whole_input.h"

struct gcov_import {
  struct counted_source source;
  char *path; /* of a file that was made absolute */
  /* of the text at hand */
  char *directory;
  struct map functions; /* (file, linkage name), by their addresses in the pool */
};

/* ---- files ---- */

static const char *path_of(struct gcov_import *import, const char *file) {
  const char *directory = import->directory;
  if (file[0] == '/' || !directory || !directory[0]) return file;
  size_t bytes = strlen(directory) + strlen(file) + 2;
  import->path = memory_resized(import->path, bytes, 1);
  snprintf(import->path, bytes, "%s/%s", directory, file);
  return import->path;
}

static int take_directory(void *context, sqlite3_stmt *row, struct error *error) {
  struct gcov_import *import = context;
  (void)error;
  free(import->directory);
  import->directory = memory_text(json_row_text(row, 0));
  return 0;
}

/* ---- functions ---- */

static uint64_t text_key(struct gcov_import *import, const char *text) {
  return (uintptr_t)stack_profile_text(&import->source.stacks, text);
}

/* Each file's text is cut out once, not for each of its lines. */
#define EACH_FILE(part)                                                                            \
  "WITH f AS MATERIALIZED (SELECT value->>'file' AS name, value->'" part "' AS part"               \
  " FROM json_each(?1, '$.files'))"

static const char functions_query[] =
    EACH_FILE("functions") " SELECT f.name, g.value->>'name', g.value->>'demangled_name',"
                           " g.value->>'start_line', g.value->>'execution_count'"
                           " FROM f, json_each(f.part) g";

static int take_function(void *context, sqlite3_stmt *row, struct error *error) {
  struct gcov_import *import = context;
  const char *name = json_row_text(row, 2), *linkage = json_row_text(row, 1);
  struct profile_function function = {.name = name[0] ? name : linkage,
                                      .linkage = linkage,
                                      .file = path_of(import, json_row_text(row, 0)),
                                      .line = json_row_number(row, 3, UINT32_MAX),
                                      .object = NOTHING};
  (void)error;
  if (!linkage[0]) return 0;
  uint32_t id =
      counted_source_function(&import->source, &function, json_row_number(row, 4, COUNTED_MOST));
  map_find_or_add(&import->functions, text_key(import, function.file), text_key(import, linkage),
                  id);
  return 0;
}

/* ---- lines ---- */

static const char lines_query[] =
    EACH_FILE("lines") " SELECT f.name, l.value->>'function_name', l.value->>'line_number',"
                       " l.value->>'count' FROM f, json_each(f.part) l";

static const char branches_query[] =
    EACH_FILE("lines") " SELECT f.name, l.value->>'function_name', l.value->>'line_number',"
                       " b.value->>'count', b.key"
                       " FROM f, json_each(f.part) l, json_each(l.value, '$.branches') b"
                       " WHERE NOT coalesce(b.value->>'throw', 0)";

/* Lines outside of all functions are those of one that has no name. */
static uint32_t function_of(struct gcov_import *import, const char *file, const char *linkage) {
  uint32_t id = map_find(&import->functions, text_key(import, file), text_key(import, linkage));
  if (id != UINT32_MAX) return id;
  struct profile_function unknown = {
      .name = linkage[0] ? linkage : "(no function)", .file = file, .object = NOTHING};
  return counted_source_function(&import->source, &unknown, 0);
}

static struct profile_expression line_at(struct gcov_import *import, sqlite3_stmt *row) {
  const char *file = path_of(import, json_row_text(row, 0));
  return (struct profile_expression){.function = function_of(import, file, json_row_text(row, 1)),
                                     .file = file,
                                     .line = json_row_number(row, 2, UINT32_MAX),
                                     .count = json_row_number(row, 3, COUNTED_MOST)};
}

static int take_line(void *context, sqlite3_stmt *row, struct error *error) {
  struct gcov_import *import = context;
  (void)error;
  counted_source_expression(&import->source, line_at(import, row));
  return 0;
}

static int take_branch(void *context, sqlite3_stmt *row, struct error *error) {
  struct gcov_import *import = context;
  struct profile_expression branch = line_at(import, row);
  (void)error;
  branch.kind = EXPRESSION_BRANCH;
  branch.way = json_row_number(row, 4, UINT32_MAX);
  counted_source_expression(&import->source, branch);
  return 0;
}

/* ---- the file ---- */

static int take_text(struct gcov_import *import, const char *name, const char *text, size_t bytes,
                     struct error *error) {
  static const struct {
    const char *sql;
    int (*take)(void *context, sqlite3_stmt *row, struct error *error);
  } steps[] = {{"SELECT ?1 ->> '$.current_working_directory'", take_directory},
               {functions_query, take_function},
               {lines_query, take_line},
               {branches_query, take_branch}};
  struct json_text json;
  int result = json_text_open(&json, name, text, bytes, error);
  for (size_t i = 0; result == 0 && i < sizeof steps / sizeof *steps; i++)
    result = json_rows(&json, steps[i].sql, steps[i].take, import, error);
  map_free(&import->functions);
  json_text_close(&json);
  return result;
}

/* One text may stand on many lines; several stand on one line each. */
static int take_texts(struct gcov_import *import, const char *name, const char *text, size_t bytes,
                      struct error *error) {
  const char *end = text + bytes, *second = NULL;
  for (const char *at = text; !second && (at = memchr(at, '\n', end - at)); at++)
    if (end - at > 1 && at[1] == '{') second = at;
  if (!second) return take_text(import, name, text, bytes, error);
  while (text < end) {
    const char *stop = memchr(text, '\n', end - text);
    if (!stop) stop = end;
    if (stop > text && take_text(import, name, text, stop - text, error) != 0) return -1;
    text = stop + 1;
  }
  return 0;
}

static int read_gcov(struct input *input, const struct import_options *options,
                     struct profile **profile, struct error *error) {
  struct whole_input whole;
  struct gcov_import import = {0};
  if (whole_input_read(&whole, input, error) != 0) return -1;
  counted_source_open(&import.source, "gcov");
  int result = take_texts(&import, input->name, whole.text, whole.bytes, error);
  if (result == 0 && !import.source.stacks.profile->function_count)
    result = error_set(error, "%s: no functions in it", input->name);
  if (result == 0)
    result = counted_source_finish(&import.source, options->executable, profile, error);
  else
    counted_source_discard(&import.source);
  whole_input_free(&whole);
  free(import.directory);
  free(import.path);
  return result;
}

static bool matches(const char *start, size_t count) {
  char inflated[512];
  if (!whole_input_start(&start, &count, inflated, sizeof inflated) || start[0] != '{')
    return false;
  if (count > sizeof inflated) count = sizeof inflated;
  return memmem(start, count, "\"gcc_version\"", strlen("\"gcc_version\"")) != NULL;
}

const struct import_format import_gcov = {.name = "gcov",
                                          .words = "JSON of gcov",
                                          .takes_executable = true,
                                          .matches = matches,
                                          .read = read_gcov};
