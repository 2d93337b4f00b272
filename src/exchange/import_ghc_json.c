/* The JSON of GHC's time and allocation profiler: cost centres, and the tree of their stacks.
 * Source: GHC User's Guide, "Profiling", "JSON profile format". */
#include <stdlib.h>
#include <string.h>

#include "exchange/ghc_run.h"
#include "exchange/import_formats.h"
#include "exchange/json_rows.h"
#include "exchange/whole_input.h"

enum { MOST_TICK_US = 1 << 30 };
#define MOST_FIGURE (UINT64_C(1) << 61)

/* A stack of cost centres: its innermost one, below the stack `parent`. */
struct node {
  uint32_t parent; /* earlier in the array, or NOTHING */
  uint32_t depth;
  uint64_t id; /* of the cost centre */
  bool has_id;
  struct centre_figures figures;
};

struct ghc_import {
  struct ghc_run *run;
  const char *name;
  uint64_t tick_us, ticks;
  struct map functions; /* by the ids of cost centres */
  struct node *nodes;   /* each after its parent */
  size_t count;
  struct map elements; /* JSON objects and their arrays of children -> node */
};

static const char head_query[] =
    "SELECT coalesce((SELECT group_concat(value, ' ') FROM json_each(?1, '$.arguments')),"
    " ?1->>'$.program'), ?1->>'$.tick_interval', ?1->>'$.end_time'";

static int take_head(void *context, sqlite3_stmt *row, struct error *error) {
  struct ghc_import *import = context;
  import->tick_us = json_row_number(row, 1, MOST_TICK_US);
  if (import->tick_us)
    return ghc_run_identify(import->run, import->name, json_row_text(row, 0), json_row_text(row, 2),
                            error);
  return error_set(error, "%s: no tick_interval in it, so the time of a tick is not known",
                   import->name);
}

static const char centres_query[] =
    "SELECT value->>'id', value->>'label', value->>'module', value->>'src_loc'"
    " FROM json_each(?1, '$.cost_centres')";

static int take_centre(void *context, sqlite3_stmt *row, struct error *error) {
  struct ghc_import *import = context;
  (void)error;
  char *label = memory_text(json_row_text(row, 1)), *module = memory_text(json_row_text(row, 2));
  uint32_t function =
      cost_centres_function(&import->run->centres, label, module, json_row_text(row, 3));
  map_find_or_add(&import->functions, json_row_number(row, 0, MOST_FIGURE), 0, function);
  free(label);
  free(module);
  return 0;
}

/* Objects come before what is in them. */
static const char tree_query[] =
    "SELECT id, parent, type, key, atom FROM json_tree(?1, '$.profile')"
    " WHERE type = 'object' OR key IN ('id', 'entries', 'alloc', 'ticks', 'children')";

static void add_node(struct ghc_import *import, uint64_t element, uint32_t parent) {
  uint32_t id = (uint32_t)import->count;
  struct node node = {.parent = parent};
  if (parent != NOTHING) node.depth = import->nodes[parent].depth + 1;
  ARRAY_GROW(import->nodes, import->count);
  import->nodes[import->count++] = node;
  map_find_or_add(&import->elements, element, 0, id);
}

static void take_figure(struct node *node, const char *key, uint64_t value) {
  if (strcmp(key, "entries") == 0) node->figures.entries = value;
  if (strcmp(key, "alloc") == 0) node->figures.bytes = value;
  if (strcmp(key, "ticks") == 0) node->figures.ticks = value;
  if (strcmp(key, "id") != 0) return;
  node->id = value;
  node->has_id = true;
}

static int take_element(void *context, sqlite3_stmt *row, struct error *error) {
  struct ghc_import *import = context;
  uint64_t element = json_row_number(row, 0, MOST_FIGURE);
  uint64_t parent = json_row_number(row, 1, MOST_FIGURE);
  const char *type = json_row_text(row, 2), *key = json_row_text(row, 3);
  uint32_t node = import->count ? map_find(&import->elements, parent, 0) : NOTHING;
  (void)error;
  if (strcmp(type, "object") == 0 && (node != NOTHING || !import->count))
    add_node(import, element, node);
  else if (node == NOTHING)
    return 0;
  else if (strcmp(type, "array") == 0)
    map_find_or_add(&import->elements, element, 0, node);
  else
    take_figure(&import->nodes[node], key, json_row_number(row, 4, MOST_FIGURE));
  return 0;
}

static int add_stacks(struct ghc_import *import, struct error *error) {
  for (size_t i = 0; i < import->count; i++) {
    struct node *node = &import->nodes[i];
    uint32_t function = map_find(&import->functions, node->id, 0);
    if (!node->has_id || function == UINT32_MAX)
      return error_set(error, "%s: the tree has cost centre %llu, which is not in cost_centres",
                       import->name, (unsigned long long)node->id);
    cost_centres_push(&import->run->centres, node->depth, function);
    if (__builtin_mul_overflow(node->figures.ticks, 1000 * import->tick_us, &node->figures.ns) ||
        ghc_run_charge(import->run, &node->figures) != 0)
      return error_set(error, "%s: the sum of all figures is too large", import->name);
    import->ticks += node->figures.ticks;
  }
  if (!import->count) return error_set(error, "%s: no profile in it", import->name);
  return ghc_run_same_ticks(import->run, import->name, import->ticks, true, error);
}

static int read_text(struct ghc_import *import, struct json_text *json, struct error *error) {
  if (json_rows(json, head_query, take_head, import, error) != 0 ||
      json_rows(json, centres_query, take_centre, import, error) != 0 ||
      json_rows(json, tree_query, take_element, import, error) != 0)
    return -1;
  return add_stacks(import, error);
}

/* Leaves out what +RTS -hr puts around it. */
static void find_object(struct whole_input *whole) {
  if (!ghc_run_has_retainers(whole->text, whole->bytes)) return;
  const char *end = whole->text + whole->bytes;
  const char *start = memmem(whole->text, whole->bytes, "\n{", 2);
  if (start) whole->text = start + 1;
  whole->bytes = (size_t)(end - whole->text);
  const char *last = memmem(whole->text, whole->bytes, "\n}\n\nRetainer sets", 17);
  if (last) whole->bytes = (size_t)(last + 2 - whole->text);
}

static int add_ghc_json(struct input *input, struct ghc_run *run, struct error *error) {
  struct whole_input whole;
  struct json_text json;
  struct ghc_import import = {.name = input->name, .run = run};
  ghc_run_format(run, "profiler");
  if (whole_input_read(&whole, input, error) != 0) return -1;
  find_object(&whole);
  int result = json_text_open(&json, input->name, whole.text, whole.bytes, error);
  if (result == 0) result = read_text(&import, &json, error);
  json_text_close(&json);
  whole_input_free(&whole);
  map_free(&import.functions);
  map_free(&import.elements);
  free(import.nodes);
  return result;
}

static int read_ghc_json(struct input *input, const struct import_options *options,
                         struct profile **profile, struct error *error) {
  return ghc_run_read(add_ghc_json, input, options, profile, error);
}

static bool matches(const char *start, size_t count) {
  static const char name[] = "\"program\"";
  char inflated[512];
  if (!whole_input_start(&start, &count, inflated, sizeof inflated)) return false;
  const char *object = start;
  if (ghc_run_has_retainers(start, count)) object = memmem(start, count, "\n{", 2);
  if (!object) return false;
  object += *object == '\n';
  const char *end = start + count, *at = object + 1;
  while (at < end && *at && strchr(" \t\r\n", *at))
    at++;
  return *object == '{' && (size_t)(end - at) >= strlen(name) &&
         memcmp(at, name, strlen(name)) == 0;
}

const struct import_format import_ghc_json = {.name = "ghc-json",
                                              .words = "JSON of GHC's profiler (+RTS -pj)",
                                              .matches = matches,
                                              .read = read_ghc_json,
                                              .run_part = RUN_OF_CENTRES,
                                              .add = add_ghc_json};
